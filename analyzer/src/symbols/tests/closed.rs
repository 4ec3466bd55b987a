//! Libraries that were unloaded, and others that took their addresses.

use super::fixture::{Folder, lines, symbols};
use crate::symbols::ModuleMap;

const HOST: &str = "\
#include <dlfcn.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        ((void (*)(void))dlsym(library, \"enter\"))();
        dlclose(library);
    }
}
";

#[test]
fn closed_libraries_at_one_address_are_told_apart_by_time() {
    let folder = Folder::new();
    folder.write("host.c", HOST);
    folder.run(
        "cc",
        &["-rdynamic", "-o", "host", "host.c", "recorder.o", "-ldl"],
    );
    let mut paths = Vec::new();
    for name in ["first", "second"] {
        folder.write(
            &format!("{name}.c"),
            format!("void note(void);\nvoid {name}(void) {{ note(); }}\nvoid enter(void) {{ {name}(); }}\n"),
        );
        let (source, library) = (format!("{name}.c"), format!("{name}.so"));
        folder.run("cc", &["-g", "-fPIC", "-shared", "-o", &library, &source]);
        paths.push(folder.path(&library).display().to_string());
    }
    let mut sites = folder.sites("host", &[&paths[0], &paths[1]]);
    // The loader usually reuses the hole; make it certain.
    let slide = sites[1].module.start.wrapping_sub(sites[0].module.start);
    let second = &mut sites[1];
    second.address = second.address.wrapping_sub(slide);
    second.module.start = second.module.start.wrapping_sub(slide);
    second.module.end = second.module.end.wrapping_sub(slide);
    second.module.bias = second.module.bias.wrapping_sub(slide);

    let map = ModuleMap::new([
        (100, sites[0].module.clone()),
        (200, sites[1].module.clone()),
    ]);
    let mut symbols = symbols(&[]);
    for (site, at_ns, expected) in [(0, 150, "first first.c:2"), (1, 250, "second second.c:2")] {
        let module = map.find(sites[site].address, at_ns);
        assert_eq!(module, Some(&sites[site].module));
        assert_eq!(lines(&mut symbols, &sites[site]), [expected]);
    }
}
