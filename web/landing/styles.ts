import { readFileSync } from 'node:fs'

/** The style sheet of the page: the app's roles and its own. `urls` as in render.tsx. */
export function styles(urls: Readonly<Record<string, string>>): string {
  const roles = read('../theme/roles.css').replace(/url\('[^']*\/([\w.-]+)'\)/g, (_, file: string) => {
    if (!urls[file]) throw new Error(`roles.css names ${file}, which the build has not emitted.`)
    return `url(${urls[file]})`
  })
  // On paper every theme is the light one.
  const light = /\[data-theme='light'\] (\{[^{}]+\})/.exec(roles)?.[1] ?? ''
  return shrink(`${roles}${read('./landing.css')}@media print{:root:root:root${light}}`)
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

/** Comments and line breaks out; compression does the rest. */
const shrink = (css: string) =>
  css
    // Bounded: our own style sheets, when they are built.
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
