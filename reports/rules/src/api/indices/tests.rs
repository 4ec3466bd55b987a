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
        used: None,
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
    positions: &[],
    indices: &[IndexArgument {
        argument: 2,
        bound: Bound::AxisOf(0, 1),
        wraps: true,
        none: NoIndex::Never,
        when: &[],
    }],
};
const INDEX: IndexedOperator = IndexedOperator {
    function: "index",
    arguments: &["self", "indices"],
    positions: &[],
    indices: &[IndexArgument {
        argument: 1,
        bound: Bound::AxisOfPlace(0),
        wraps: true,
        none: NoIndex::Never,
        when: &[],
    }],
};

#[test]
fn slots_of_a_cache_are_those_of_the_larger_layout() {
    const CACHE: IndexedOperator = IndexedOperator {
        function: "cache",
        arguments: &["cache", "slots"],
        positions: &[],
        indices: &[IndexArgument {
            argument: 1,
            bound: Bound::Slots(0),
            wraps: false,
            none: NoIndex::Number(-1),
            when: &[],
        }],
    };
    let below = |sizes: &[i64]| {
        let objects = Known {
            first: Some(view(sizes, &[1; 4][..sizes.len()], 0, 1)),
            ..Known::default()
        };
        let checks = CACHE.checks(&[1, 2], &objects);
        checks.first().map(|check| check.below)
    };
    assert_eq!(below(&[10, 128, 8, 64]), Some(1280));
    assert_eq!(below(&[10, 32, 128, 16]), Some(1280));
    assert_eq!(below(&[10, 128, 8]), None);
}

/// Tensors 1 to 5, list 7 and array 8.
#[derive(Default)]
struct Known {
    first: Option<View>,
    list: Vec<u64>,
    array: Vec<i64>,
}

impl Objects for Known {
    fn view(&self, tensor: u64) -> Option<View> {
        let cube = || view(&[5, 6, 7], &[42, 7, 1], 0, 0);
        match tensor {
            1 => Some(self.first.clone().unwrap_or_else(cube)),
            2 => Some(view(&[2], &[1], 0, INT64)),
            3 => Some(view(&[5, 6], &[6, 1], 0, BOOL)),
            4 => Some(view(&[0], &[1], 0, 0)),
            5 => Some(view(&[2, 3], &[3, 1], 0, INT32)),
            _ => None,
        }
    }

    fn list(&self, list: u64) -> Option<Box<[u64]>> {
        (list == 7).then(|| self.list[..].into())
    }

    fn array(&self, array: u64) -> Option<Box<[i64]>> {
        (array == 8).then(|| self.array[..].into())
    }
}

#[test]
fn an_axis_comes_from_the_call() {
    for (axis, size) in [(0, 5), (-1, 7), (1, 6)] {
        let [found] = &GATHER.checks(&[1, i64::cast_unsigned(axis), 2], &Known::default())[..]
        else {
            panic!("one index");
        };
        assert_eq!((found.least, found.below), (-size, size));
    }
    // An axis that there is not, a tensor that nobody has seen.
    assert!(GATHER.checks(&[1, 3, 2], &Known::default()).is_empty());
    assert!(GATHER.checks(&[9, 0, 2], &Known::default()).is_empty());
    assert!(GATHER.checks(&[1, 0, 9], &Known::default()).is_empty());
}

#[test]
fn indices_of_a_list_number_the_axes_that_masks_and_holes_leave() {
    let bounds = |list: &[u64]| {
        let objects = Known {
            list: list.into(),
            ..Known::default()
        };
        let checks = INDEX.checks(&[1, 7], &objects);
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

const PAGED: IndexedOperator = IndexedOperator {
    function: "paged",
    arguments: &["cache", "lengths", "table", "size"],
    positions: &[],
    indices: &[IndexArgument {
        argument: 2,
        bound: Bound::Blocks {
            cache: 0,
            lengths: 1,
            size: 3,
        },
        wraps: false,
        none: NoIndex::Never,
        when: &[],
    }],
};

/// A table of two rows of three blocks; a block has 128 slots, and the cache 5 blocks.
fn table(lengths: &[i64], size: u64) -> Option<Check> {
    let objects = Known {
        list: vec![1],
        array: lengths.into(),
        ..Known::default()
    };
    PAGED.checks(&[7, 8, 5, size], &objects).pop()
}

#[test]
fn of_a_table_only_the_blocks_are_read_that_a_sequence_fills() {
    let broken = |lengths: &[i64], blocks: [i32; 6]| {
        let bytes: Vec<u8> = blocks
            .iter()
            .flat_map(|block| block.to_le_bytes())
            .collect();
        let found = table(lengths, 128).unwrap().broken_by(&bytes);
        found.map(|found| (found.position, found.value))
    };
    assert_eq!(broken(&[129, 1], [0, 4, -1, 3, 77, 77]), None);
    assert_eq!(broken(&[257, 1], [0, 4, -1, 3, 77, 77]), Some((2, -1)));
    assert_eq!(broken(&[128, 129], [0, 4, -1, 3, 5, 77]), Some((4, 5)));
    assert_eq!(broken(&[0, 0], [9; 6]), None);
    // One length for all rows, and one that the table is too small for.
    assert_eq!(broken(&[128], [0, 9, 9, 4, 9, 9]), None);
    assert_eq!(broken(&[128], [0, 9, 9, 9, 9, 9]), Some((3, 9)));
    assert_eq!(broken(&[1 << 40], [0, 1, 2, 3, 4, 5]), Some((5, 5)));
}

#[test]
fn a_table_whose_lengths_are_not_known_is_not_checked() {
    assert!(table(&[1, 2, 3], 128).is_none());
    assert!(table(&[], 128).is_none());
    assert!(table(&[1, 2], 0).is_none());
    assert!(PAGED.checks(&[7, 9, 5, 128], &Known::default()).is_empty());
}

#[test]
fn a_contract_holds_only_for_calls_that_it_is_for() {
    const GROUPS: IndexedOperator = IndexedOperator {
        function: "groups",
        arguments: &["x", "groups", "kind"],
        positions: &[],
        indices: &[IndexArgument {
            argument: 1,
            bound: Bound::PlacesOfRows(0),
            wraps: false,
            none: NoIndex::Never,
            when: &[(2, 0)],
        }],
    };
    let objects = Known {
        list: vec![1],
        ..Known::default()
    };
    let below = |kind| {
        GROUPS
            .checks(&[7, 2, kind], &objects)
            .first()
            .map(|check| check.below)
    };
    assert_eq!(below(0), Some(31)); // 5 * 6 rows
    assert_eq!(below(1), None);
}

#[test]
fn rows_that_were_dropped_keep_their_numbers_and_a_count_of_zero_says_nothing() {
    const ROUTED: IndexedOperator = IndexedOperator {
        function: "routed",
        arguments: &["x", "rows", "count"],
        positions: &[],
        indices: &[
            IndexArgument {
                argument: 1,
                bound: Bound::Rows(0),
                wraps: false,
                none: NoIndex::Never,
                when: &[],
            },
            IndexArgument {
                argument: 1,
                bound: Bound::Number(2),
                wraps: false,
                none: NoIndex::Never,
                when: &[],
            },
        ],
    };
    let below = |x, count| {
        let checks = ROUTED.checks(&[x, 5, count], &Known::default());
        checks.iter().map(|check| check.below).collect::<Vec<_>>()
    };
    assert_eq!(below(1, 4), [30, 4]);
    assert_eq!(below(5, 0), [6, i64::MAX]); // two rows, but six numbers
}
