#![forbid(unsafe_code)]
//! Validates a report against the checked-in schema, for tests.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

/// A strict copy of the schema. Readers must ignore unknown members, so the schema allows them; here every member must be in it, so that the
/// schema stays complete.
static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    let text = include_str!("report.schema.json");
    let mut schema = serde_json::from_str(text).expect("the schema is JSON");
    forbid_unknown_members(&mut schema);
    jsonschema::draft202012::new(&schema).expect("the schema is a schema")
});

fn forbid_unknown_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(forbid_unknown_members);
            if members.get("properties").is_some_and(Value::is_object) {
                members.insert("unevaluatedProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_unknown_members),
        _ => {}
    }
}

/// The violations of the report's schema in `value`; empty if it conforms.
pub fn check(value: &Value) -> Vec<String> {
    let errors = VALIDATOR.iter_errors(value);
    errors
        .map(|error| format!("report{}: {error}", error.instance_path()))
        .collect()
}
