import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// Accessibility of a page by axe, in its own tab: a second tab for the report, as axe's own builder opens it, takes twice the time.

const require = createRequire(import.meta.url)
const { source } = createRequire(require.resolve('@axe-core/playwright'))('axe-core')

/** Axe copies the HTML of every element it looks at, and parses the same few colors once for each: most of its time. */
const LIGHTER = `axe.configure({ noHtml: true });
{
  const { prototype } = axe.commons.color.Color, { parseString } = prototype, known = new Map()
  prototype.parseString = function (text) {
    if (known.has(text)) return Object.assign(this, known.get(text))
    const { r, g, b, alpha } = parseString.call(this, text)
    known.set(text, { r, g, b, alpha })
    return this
  }
}`
export const axeSource: string = `${source};${LIGHTER}`

interface Axe {
  run(context: object, options: object): Promise<{ violations: { id: string; nodes: { element: Element }[] }[] }>
}

export interface AxeOptions {
  /** A selector of the part that is checked; the whole page unless given. */
  within?: string | undefined
  /** Selectors of parts that are not. */
  exclude?: string[]
  /** All rules unless given. */
  rules?: string[] | undefined
  /** Rules that are left out. */
  without?: string[]
  /** Where the page's server has the script: the browser keeps it compiled from one page to the next. */
  servedAt?: string
}

/** The rules that find something, each with the HTML of the elements. Frames hold previews of messages and are no part of a screen. */
export async function findViolations(
  page: Page,
  { within, exclude = [], rules, without = [], servedAt }: AxeOptions = {},
): Promise<[rule: string, elements: string[]][]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await (servedAt ? page.addScriptTag({ url: servedAt }) : page.evaluate(axeSource))
  const options = {
    resultTypes: ['violations'],
    // Only a rule on rotated screens reads the style sheets, by loading each again.
    preload: false,
    elementRef: true,
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  }
  const context = {
    exclude: ['iframe', ...exclude].map((selector) => [selector]),
    ...(within ? { include: [[within]] } : {}),
  }
  return page.evaluate(
    async ([where, how]) => {
      const { axe } = window as unknown as { axe: Axe }
      const { violations } = await axe.run(where, how)
      return violations.map(({ id, nodes }): [string, string[]] => [
        id,
        nodes.map(({ element }) => element.outerHTML.slice(0, 300)),
      ])
    },
    [context, options] as const,
  )
}
