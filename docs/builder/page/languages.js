// A link to the same page in the other language, beside the other buttons.
(function () {
    "use strict";
    const parts = location.pathname.split("/");
    const at = Math.max(parts.lastIndexOf("en"), parts.lastIndexOf("zh"));
    const buttons = document.querySelector(".right-buttons");
    if (at < 0 || !buttons) {
        return;
    }
    const isEnglish = parts[at] === "en";
    parts[at] = isEnglish ? "zh" : "en";
    const link = document.createElement("a");
    link.href = parts.join("/");
    link.className = "language";
    link.lang = isEnglish ? "zh-CN" : "en";
    link.title = link.textContent = isEnglish ? "中文" : "English";
    buttons.prepend(link);
})();
