import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// All screens of the app share one style sheet, so a class that two of its files style looks wrong in both.

/** The landing page has its own sheet. `app.css` holds what all screens share; other files may refine it. */
const files = globSync('web/**/*.css').filter((file) => !/landing|app\.css$/.test(file))

/** The classes with which the selectors of a style sheet begin. */
function listFirstClasses(file: string): Set<string> {
  const css = readFileSync(file, 'utf8')
    .replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, '')
    .replace(/@[a-z-]+ [^{]*\{/g, '')
  const selectors = [...css.matchAll(/([^{}]+)\{/g)].flatMap(([, list]) => list!.split(','))
  return new Set(selectors.flatMap((selector) => /^\s*\.(?!mantine)[\w-]+/.exec(selector)?.[0].trim() ?? []))
}

it('no class is styled by two areas', () => {
  const app = listFirstClasses('web/app.css')
  const owners = new Map<string, string[]>()
  for (const file of files) {
    for (const name of listFirstClasses(file)) owners.set(name, [...(owners.get(name) ?? []), file])
  }
  const shared = [...owners].filter(([name, list]) => list.length > 1 && !app.has(name))
  expect(shared).toEqual([])
})
