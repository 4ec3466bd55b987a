// mdBook's search splits texts at blanks, which Chinese does not have. A query with Chinese characters is looked for as it is.
(function () {
    "use strict";
    if (typeof elasticlunr === "undefined") {
        return;
    }
    const load = elasticlunr.Index.load;
    elasticlunr.Index.load = function (data) {
        const index = load.call(elasticlunr.Index, data);
        const search = index.search;
        index.search = function (query, options) {
            if (!/[\u4e00-\u9fff]/.test(query)) {
                return search.call(index, query, options);
            }
            const words = query.toLowerCase().trim().split(/\s+/);
            const docs = Object.entries(index.documentStore.docs);
            const found = docs.map(([ref, doc]) => {
                const title = doc.title.toLowerCase();
                const body = doc.body.toLowerCase();
                const scores = words.map((word) => (title.includes(word) ? 10 : 0) + body.split(word).length - 1);
                return { ref, doc, score: scores.every((score) => score > 0) ? scores.reduce((sum, score) => sum + score, 0) : 0 };
            });
            return found.filter((one) => one.score > 0).sort((one, other) => other.score - one.score);
        };
        return index;
    };
})();
