import { readFileSync } from 'node:fs'

/** The page's style sheet: the app's roles and its own rules. `urls` as in render.tsx. */
export function buildStyles(urls: Readonly<Record<string, string>>): string {
  const roles = read('../../core/theme/roles.css').replace(/url\('[^']*\/([\w.-]+)'\)/g, (_, file: string) => {
    if (!urls[file]) throw new Error(`roles.css names ${file}, which the build has not emitted.`)
    return `url(${urls[file]})`
  })
  // Print uses the light theme.
  const light = /\[data-theme='light'\] (\{[^{}]+\})/.exec(roles)?.[1] ?? ''
  return minify(
    `${roles}${read('../../core/ui/thread.css')}${read('./landing.css')}@media print{:root:root:root${light}}`,
  )
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

/** Removes comments and line breaks; compression does the rest. */
const minify = (css: string) =>
  css
    // Bounded: our own style sheets at build time.
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
