// Builds and updates the shopper's pages without a library: they load in a moment on a slow phone.

type Value = string | number | boolean | null | undefined
type Handler = (event: Event) => void
type Props = Record<string, Value | Handler>
export type Child = Node | Child[] | Value

const HANDLERS = ['onclick', 'onchange', 'oninput', 'onsubmit', 'onerror'] as const

/** An element. `on…` are handlers; false, null and undefined leave an attribute or a child out. */
export function h(tag: string, props: Props = {}, ...children: Child[]): HTMLElement {
  return fill(document.createElement(tag), props, children)
}

function fill<E extends Element>(element: E, props: Props, children: Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') Object.assign(element, { [name]: value })
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(
    ...children
      .flat(9)
      .filter((child) => child || child === 0)
      .map((child) => child as Node),
  )
  return element
}

const SVG = 'http://www.w3.org/2000/svg'
/** Paths of Tabler's icons. */
const icons = {
  arrow: 'M5 12l14 0M13 18l6 -6M13 6l6 6',
  check: 'M5 12l5 5l10 -10',
  cross: 'M18 6l-12 12M6 6l12 12',
  info: 'M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0M12 9h.01M11 12h1v4h1',
  good: 'M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0M9 12l2 2l4 -4',
  warn: 'M12 9v4M10.363 3.591l-8.106 13.534a1.914 1.914 0 0 0 1.636 2.871h16.214a1.914 1.914 0 0 0 1.636 -2.87l-8.106 -13.536a1.914 1.914 0 0 0 -3.274 0M12 16h.01',
  bad: 'M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0M10 10l4 4m0 -4l-4 4',
  picture:
    'M15 8h.01M3 6a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v12a3 3 0 0 1 -3 3h-12a3 3 0 0 1 -3 -3v-12M3 16l5 -5c.928 -.893 2.072 -.893 3 0l5 5M14 14l1 -1c.928 -.893 2.072 -.893 3 0l3 3',
}
export type IconName = keyof typeof icons

export function icon(name: IconName, size = 18): SVGElement {
  const line = { fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round' }
  const svg = fill(
    document.createElementNS(SVG, 'svg'),
    { viewBox: '0 0 24 24', width: size, height: size, 'aria-hidden': 'true', ...line, 'stroke-linejoin': 'round' },
    [],
  )
  svg.append(fill(document.createElementNS(SVG, 'path'), { d: icons[name] }, []))
  return svg
}

/**
 * Makes the children of `target` equal to `next` and keeps every element that stays: its focus, its typed text, and
 * its place as a live region.
 */
export function update(target: Element, next: readonly Node[]): void {
  for (const [index, child] of next.entries()) {
    const [old, ...later] = [...target.childNodes].slice(index)
    const rest = next.slice(index + 1)
    if (!old) target.append(child)
    else if (!isSame(old, child) && rest.some((each) => isSame(old, each))) old.before(child)
    else if (!isSame(old, child) && later.some((each) => isSame(each, child))) {
      // `old` is gone, and what follows stays in its place.
      while (!isSame(target.childNodes[index]!, child)) target.childNodes[index]!.remove()
      update(target, next)
      return
    } else if (!isSame(old, child)) old.replaceWith(child)
    else if (old instanceof Element && child instanceof Element) updateElement(old, child)
    else if (old.nodeValue !== child.nodeValue) old.nodeValue = child.nodeValue
  }
  while (target.childNodes.length > next.length) target.lastChild!.remove()
}

const readKey = (node: Node) => (node instanceof Element ? node.getAttribute('data-key') : null)

const isSame = (old: Node, next: Node) => old.nodeName === next.nodeName && readKey(old) === readKey(next)

function updateElement(old: Element, next: Element): void {
  for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name)
  for (const name of next.getAttributeNames()) {
    const value = next.getAttribute(name)!
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  }
  const [from, to] = [next, old] as unknown as [Record<string, unknown>, Record<string, unknown>]
  for (const name of HANDLERS) to[name] = from[name]
  if (old instanceof HTMLInputElement && next instanceof HTMLInputElement) old.checked = next.checked
  update(old, [...next.childNodes])
}
