//! What is kept of each page class of each device, found without a search where the last block of that class was of the same device.

use std::collections::BTreeMap;

use aclsan_render::model::{Extent, Page, Peak};

use super::spread::Spread;

/// A page class of a device.
#[derive(Default)]
pub struct Class {
    /// Its blocks when they took most.
    pub peak: Peak<Extent>,
    /// Sizes of requests.
    pub requests: Spread,
}

/// All classes.
#[derive(Default)]
pub struct Classes {
    list: Vec<Class>,
    places: BTreeMap<(i32, Page), usize>,
    /// Device and place of the last one, by page.
    last: [Option<(i32, usize)>; 3],
}

impl Classes {
    /// The class of these pages, made where there is none.
    pub fn of(&mut self, device: i32, page: Page) -> &mut Class {
        let last = &mut self.last[page as usize];
        let at = match *last {
            Some((known, at)) if known == device => at,
            _ => *self.places.entry((device, page)).or_insert_with(|| {
                self.list.push(Class::default());
                self.list.len() - 1
            }),
        };
        *last = Some((device, at));
        &mut self.list[at]
    }

    /// All of them, in order of devices and pages.
    pub fn iter(&self) -> impl Iterator<Item = ((i32, Page), &Class)> {
        let places = self.places.iter();
        places.map(|(&key, &at)| (key, &self.list[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_kept_apart_and_told_in_order() {
        let mut classes = Classes::default();
        for (device, page) in [
            (7, Page::Huge),
            (7, Page::Normal),
            (1, Page::Huge),
            (7, Page::Huge),
        ] {
            classes.of(device, page).requests.add(1);
        }
        let told: Vec<_> = classes
            .iter()
            .map(|(key, class)| (key, class.requests.count()))
            .collect();
        let expected = [
            ((1, Page::Huge), 1),
            ((7, Page::Normal), 1),
            ((7, Page::Huge), 2),
        ];
        assert_eq!(told, expected);
    }
}
