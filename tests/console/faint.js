() => {
  const parse = (written) => { const [r, g, b, a = 1] = written.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = ([r, g, b, a], under) => [r, g, b].map((each, at) => each * a + under[at] * (1 - a));
  const ground = (one) => {
    const layers = [];
    for (let each = one; each; each = each.parentElement) layers.unshift(parse(getComputedStyle(each).backgroundColor));
    return layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = (color) => {
    const [r, g, b] = color.map((each) => each / 255).map((each) => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => { const both = [light(one), light(other)]; return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05); };
  const opacity = (one) => one ? Number(getComputedStyle(one).opacity) * opacity(one.parentElement) : 1;
  const contrast = (color, one) => { const [r, g, b, a] = parse(color); return ratio(over([r, g, b, a * opacity(one)], ground(one)), ground(one)); };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !one.checkVisibility()) continue;
    if (contrast(getComputedStyle(one).color, one) < 4.5) found.push(`text ${texts.currentNode.textContent.trim()}`);
  }
  for (const one of document.querySelectorAll("input, select, textarea, button, .button")) {
    if (!one.checkVisibility()) continue;
    const style = getComputedStyle(one), around = ground(one.parentElement);
    const edge = Math.max(ratio(parse(style.borderTopColor), around), ratio(ground(one), around));
    if (edge < 3) found.push(`edge of ${one.id || one.textContent}`);
    if (one.placeholder && contrast(getComputedStyle(one, "::placeholder").color, one) < 4.5) found.push(`placeholder of ${one.id}`);
    if (one.type !== "checkbox" && one.getBoundingClientRect().height < 24) found.push(`height of ${one.id || one.textContent}`);
  }
  return found;
}
