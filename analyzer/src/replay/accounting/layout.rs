//! How the blocks of one page class are placed, at the peak and at the end.

use aclsan_render::model::{Page, Pinning, Space};

/// The layout of one page class of one device.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The device.
    pub device: i32,
    /// The class.
    pub page: Page,
    /// When most bytes were live.
    pub peak_ns: u64,
    /// At the last event.
    pub end: Space,
    /// At the peak.
    pub peak: Space,
    /// The 95th percentile of request sizes.
    pub typical: u64,
    /// At the peak, the share of free bytes that a request of that size could not use.
    pub peak_unusable: f64,
    /// The same at the end.
    pub end_unusable: f64,
    /// Allocation sites whose blocks separate holes, at the peak or at the end.
    pub pinners: Vec<Pinning>,
}
