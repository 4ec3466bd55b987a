//! How the blocks of one page class lie, when most were live and at the end.

use aclsan_render::model::{Page, Pinning, Space};

/// How one page class of one device is laid out.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The device.
    pub device: i32,
    /// The class.
    pub page: Page,
    /// When the most bytes were live.
    pub peak_ns: u64,
    /// At the last event.
    pub end: Space,
    /// At the peak.
    pub peak: Space,
    /// What 19 of 20 requests did not exceed.
    pub typical: u64,
    /// The share of holes at the peak that such a request could not use.
    pub peak_unusable: f64,
    /// The same at the end.
    pub end_unusable: f64,
    /// Who keeps holes apart, at the peak or the end.
    pub pinners: Vec<Pinning>,
}
