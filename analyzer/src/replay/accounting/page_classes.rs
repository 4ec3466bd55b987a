//! Peak and request sizes of each page class of each device.

use aclsan_render::model::{Extent, Page, Peak};

use crate::replay::sites::histogram::LogLinearHistogram;
use crate::replay::sites::last_key_map::LastKeyMap;

/// A page class of a device.
pub struct Class {
    /// Its blocks at their peak.
    pub peak: Peak<Extent>,
    /// Sizes of requests.
    pub requests: LogLinearHistogram,
}

impl Default for Class {
    fn default() -> Self {
        Self {
            peak: Peak::default(),
            requests: LogLinearHistogram::dense(),
        }
    }
}

/// All classes. Programs use one page size and device for a long time before they switch, which suits [`LastKeyMap`].
#[derive(Default)]
pub struct Classes(LastKeyMap<i32, [Class; 3]>);

impl Classes {
    /// The class of these pages, created on first use.
    #[inline]
    pub fn of(&mut self, device: i32, page: Page) -> &mut Class {
        &mut self.of_device(device)[page as usize]
    }

    /// The classes of a device, by page.
    #[inline]
    pub fn of_device(&mut self, device: i32) -> &mut [Class; 3] {
        self.0.of(device)
    }

    /// All classes of devices that have any, by device and page size.
    pub fn iter(&self) -> impl Iterator<Item = ((i32, Page), &Class)> {
        let pages = [Page::Normal, Page::Huge, Page::Giant];
        self.0.iter().flat_map(move |(device, classes)| {
            pages.map(|page| ((device, page), &classes[page as usize]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_kept_apart_and_listed_in_order() {
        let mut classes = Classes::default();
        for (device, page) in [
            (7, Page::Huge),
            (7, Page::Normal),
            (1, Page::Huge),
            (7, Page::Huge),
        ] {
            classes.of(device, page).requests.add(1);
        }
        let counts = classes
            .iter()
            .map(|(key, class)| (key, class.requests.count()));
        let reported: Vec<_> = counts.filter(|(_, count)| *count > 0).collect();
        let expected = [
            ((1, Page::Huge), 1),
            ((7, Page::Normal), 1),
            ((7, Page::Huge), 2),
        ];
        assert_eq!(reported, expected);
    }
}
