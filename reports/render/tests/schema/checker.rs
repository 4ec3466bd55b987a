//! As much of JSON Schema as the report's schema uses.

use serde_json::Value;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../schema/report.schema.json"))
        .expect("the schema is JSON")
}

/// The keywords that the schema uses, and one thing more: members that the schema does not name are complaints here, so that it
/// cannot fall behind.
fn complaints(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        let name = target
            .strip_prefix("#/$defs/")
            .expect("local references only");
        return complaints(root, &root["$defs"][name], value, at, found);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = |choice: &Value| {
            let mut found = Vec::new();
            complaints(root, choice, value, at, &mut found);
            found.is_empty()
        };
        if !choices.iter().any(fits) {
            found.push(format!("{at}: none of anyOf"));
        }
        return;
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one],
        _ => Vec::new(),
    };
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the schema has a type `{other}`"),
    };
    if !types.is_empty() && !types.iter().any(|name| is(name)) {
        found.push(format!("{at}: not {types:?} but {value}"));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        found.push(format!("{at}: {value} is not one of {allowed:?}"));
    }
    if schema
        .get("const")
        .is_some_and(|expected| expected != value)
    {
        found.push(format!("{at}: {value} is not {}", schema["const"]));
    }
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str()) {
        let digits = |text: &str| {
            text.bytes()
                .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
        };
        let fits = match pattern {
            "^0x[0-9a-f]{1,16}$" => text
                .strip_prefix("0x")
                .is_some_and(|rest| (1..=16).contains(&rest.len()) && digits(rest)),
            "^([0-9a-f]{16})?$" => text.is_empty() || (text.len() == 16 && digits(text)),
            other => panic!("the schema has a pattern `{other}`"),
        };
        if !fits {
            found.push(format!("{at}: `{text}` does not match {pattern}"));
        }
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < least
    {
        found.push(format!("{at}: {number} is below {least}"));
    }
    if let Some(items) = value.as_array() {
        for (index, item) in items.iter().enumerate() {
            complaints(
                root,
                &schema["items"],
                item,
                &format!("{at}[{index}]"),
                found,
            );
        }
    }
    if let Some(members) = value.as_object() {
        for required in schema["required"].as_array().into_iter().flatten() {
            if !members.contains_key(required.as_str().expect("names are strings")) {
                found.push(format!("{at}: no {required}"));
            }
        }
        for (name, member) in members {
            match schema["properties"].get(name) {
                Some(schema) => complaints(root, schema, member, &format!("{at}.{name}"), found),
                None => found.push(format!("{at}.{name} is not in the schema")),
            }
        }
    }
}

/// What in `value` the report's schema does not allow: nothing, if it fits.
pub fn check(value: &Value) -> Vec<String> {
    let (schema, mut found) = (schema(), Vec::new());
    complaints(&schema, &schema, value, "report", &mut found);
    found
}
