use super::view::tests::{INT32, INT64, view};
use super::*;

fn check(view: View, least: i64, below: i64, none: Option<i64>) -> Check {
    Check {
        argument: 1,
        tensor: 2,
        view,
        least,
        below,
        axis: Some(0),
        none,
    }
}

fn words(numbers: &[i64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

#[test]
fn the_first_element_out_of_range_is_found_with_its_place() {
    let rows = check(view(&[2, 2], &[2, 1], 0, INT64), 0, 100, None);
    assert_eq!(rows.broken_by(&words(&[0, 99, 5, 7])), None);
    let found = rows.broken_by(&words(&[0, 99, 100, -1])).unwrap();
    assert_eq!((found.position, found.offset, found.value), (2, 16, 100));
}

#[test]
fn numbers_count_from_the_end_where_they_wrap_and_none_is_skipped() {
    let vector = || view(&[3], &[1], 0, INT64);
    assert_eq!(
        check(vector(), -4, 4, None).broken_by(&words(&[-4, 3, 0])),
        None
    );
    let found = check(vector(), -4, 4, None)
        .broken_by(&words(&[-4, -5, 0]))
        .unwrap();
    assert_eq!((found.position, found.value), (1, -5));
    assert_eq!(
        check(vector(), 0, 4, Some(-100)).broken_by(&words(&[-100, 3, 0])),
        None
    );
    assert!(
        check(vector(), 0, 4, Some(-1))
            .broken_by(&words(&[-100, 3, 0]))
            .is_some()
    );
}

#[test]
fn an_element_that_is_repeated_is_read_once() {
    let spread = view(&[1 << 40, 2], &[0, 1], 0, INT64);
    assert_eq!(
        check(spread.clone(), 0, 4, None).broken_by(&words(&[1, 2])),
        None
    );
    let found = check(spread, 0, 4, None)
        .broken_by(&words(&[1, 4]))
        .unwrap();
    assert_eq!((found.position, found.value), (1, 4));
}

/// A transposed view after an offset: elements 1, 3, 5 and 2, 4, 6 of seven.
#[test]
fn strides_and_the_offset_are_followed() {
    let turned = view(&[2, 3], &[1, 2], 1, INT32);
    assert_eq!(turned.bytes(), Some((4, 24)));
    let stored: Vec<u8> = [1i32, 2, 9, 4, 5, 6]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let found = check(turned, 0, 8, None).broken_by(&stored).unwrap();
    // Row 0 is 1, 9, 5.
    assert_eq!((found.position, found.offset, found.value), (1, 12, 9));
}

const GATHER: IndexedOperator = IndexedOperator {
    function: "gather",
    arguments: &["self", "dim", "index"],
    indices: &[IndexArgument {
        argument: 2,
        bound: Bound::AxisOf(0, 1),
        wraps: true,
        none: NoIndex::Never,
    }],
};
const INDEX: IndexedOperator = IndexedOperator {
    function: "index",
    arguments: &["self", "indices"],
    indices: &[IndexArgument {
        argument: 1,
        bound: Bound::AxisOfPlace(0),
        wraps: true,
        none: NoIndex::Never,
    }],
};

#[test]
fn slots_of_a_cache_are_those_of_the_larger_layout() {
    const CACHE: IndexedOperator = IndexedOperator {
        function: "cache",
        arguments: &["cache", "slots"],
        indices: &[IndexArgument {
            argument: 1,
            bound: Bound::Slots(0),
            wraps: false,
            none: NoIndex::Number(-1),
        }],
    };
    let below = |sizes: &[i64]| {
        let cache = view(sizes, &[1; 4][..sizes.len()], 0, 1);
        let views = |tensor| {
            if tensor == 1 {
                Some(cache.clone())
            } else {
                views(tensor)
            }
        };
        let checks = CACHE.checks(&[1, 2], views, |_| None);
        checks.first().map(|check| check.below)
    };
    assert_eq!(below(&[10, 128, 8, 64]), Some(1280));
    assert_eq!(below(&[10, 32, 128, 16]), Some(1280));
    assert_eq!(below(&[10, 128, 8]), None);
}

fn views(tensor: u64) -> Option<View> {
    match tensor {
        1 => Some(view(&[5, 6, 7], &[42, 7, 1], 0, 0)),
        2 => Some(view(&[2], &[1], 0, INT64)),
        3 => Some(view(&[5, 6], &[6, 1], 0, BOOL)),
        4 => Some(view(&[0], &[1], 0, 0)),
        _ => None,
    }
}

#[test]
fn an_axis_comes_from_the_call() {
    for (axis, size) in [(0, 5), (-1, 7), (1, 6)] {
        let [found] = &GATHER.checks(&[1, i64::cast_unsigned(axis), 2], views, |_| None)[..] else {
            panic!("one index");
        };
        assert_eq!((found.least, found.below), (-size, size));
    }
    // An axis that there is not, a tensor that nobody has seen.
    assert!(GATHER.checks(&[1, 3, 2], views, |_| None).is_empty());
    assert!(GATHER.checks(&[9, 0, 2], views, |_| None).is_empty());
    assert!(GATHER.checks(&[1, 0, 9], views, |_| None).is_empty());
}

#[test]
fn indices_of_a_list_number_the_axes_that_masks_and_holes_leave() {
    let bounds = |list: &[u64]| {
        let list: Box<[u64]> = list.into();
        let checks = INDEX.checks(&[1, 7], views, move |handle| {
            (handle == 7).then(|| list.clone())
        });
        checks
            .iter()
            .map(|check| (check.axis, check.below))
            .collect::<Vec<_>>()
    };
    assert_eq!(bounds(&[2, 2]), [(Some(0), 5), (Some(1), 6)]);
    assert_eq!(bounds(&[4, 2]), [(Some(1), 6)]);
    assert_eq!(bounds(&[3, 2]), [(Some(2), 7)]);
    assert_eq!(bounds(&[2, 9, 2]), [(Some(0), 5)]);
}
