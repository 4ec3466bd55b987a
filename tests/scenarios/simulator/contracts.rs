//! Contracts of indices: the simulator holds operators to those of the rules, in a table that is made from theirs. `SNAPSHOTS=overwrite`
//! updates it.

use aclsan_rules::api::ascend::indices::OPERATORS;
use aclsan_rules::api::indices::{Bound, IndexArgument, IndexedOperator, NoIndex};
use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use std::fs;
use std::path::Path;

fn row(operator: &IndexedOperator, index: &IndexArgument) -> String {
    let name = |argument: u8| operator.arguments[usize::from(argument)];
    let place = |argument: u8| {
        let positions = operator.positions;
        positions
            .get(usize::from(argument))
            .copied()
            .unwrap_or(argument)
    };
    let (bound, of, axis) = match index.bound {
        Bound::Axis(of, axis) => ("BOUND_AXIS", of, i64::from(axis)),
        Bound::AxisOf(of, axis) => ("BOUND_AXIS_OF", of, i64::from(place(axis))),
        Bound::Classes(of) => ("BOUND_CLASSES", of, 0),
        Bound::AxisOfPlace(of) => ("BOUND_AXIS_OF_PLACE", of, 0),
        Bound::Elements(of) => ("BOUND_ELEMENTS", of, 0),
        Bound::Places(of) => ("BOUND_PLACES", of, 0),
        Bound::Slots(of) => ("BOUND_SLOTS", of, 0),
        Bound::Blocks { cache, .. } => ("BOUND_BLOCKS", cache, 0),
        Bound::Rows(of) => ("BOUND_ROWS", of, 0),
        Bound::PlacesOfRows(of) => ("BOUND_PLACES_OF_ROWS", of, 0),
        Bound::Number(of) => ("BOUND_NUMBER", of, 0),
        Bound::Nothing => ("BOUND_NOTHING", index.argument, 0),
    };
    let (none, none_is) = match index.none {
        NoIndex::Never => ("NONE_NEVER", 0),
        NoIndex::Number(number) => ("NONE_NUMBER", number),
        NoIndex::Argument(argument) => ("NONE_ARGUMENT", i64::from(place(argument))),
    };
    let (lengths, size) = match index.bound {
        Bound::Blocks { lengths, size, .. } => (place(lengths), place(size)),
        _ => (0, 0),
    };
    let conditions = index.when.len();
    let [first, second] = [0, 1].map(|at| {
        let when = index.when.get(at);
        let (argument, number) =
            when.map_or((0, 0), |&(argument, number)| (place(argument), number));
        format!("{{{argument}, {number}}}")
    });
    let rest = format!(", {lengths}, {size}, {conditions}, {{{first}, {second}}}");
    let operator = operator.function.trim_start_matches("aclnn");
    let operator = operator.trim_end_matches("GetWorkspaceSize");
    let (argument, wraps, index, of_name) = (
        place(index.argument),
        index.wraps,
        name(index.argument),
        name(of),
    );
    let of = place(of);
    format!(
        "    {{\"{operator}\", \"{index}\", {argument}, {bound}, {of}, \"{of_name}\", {axis}, {wraps}, {none}, {none_is}{rest}}},\n"
    )
}

#[test]
fn the_simulators_contracts_are_those_of_the_rules() {
    let rows = OPERATORS
        .iter()
        .flat_map(|operator| operator.indices.iter().map(|index| row(operator, index)));
    let table = format!(
        "/* Written by `the_simulators_contracts_are_those_of_the_rules`; the columns are those of struct index_contract. */\n{}",
        rows.collect::<String>()
    );
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("simulator/aclnn/engine/index_contracts.h");
    if Action::with_env_var(DEFAULT_ACTION_ENV) == Some(Action::Overwrite) {
        fs::write(&path, &table).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), table);
}
