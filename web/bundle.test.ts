import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { screens } from '../shared/screens.ts'

// What a browser loads first, measured on the built app (`npm run build`; `npm test` builds first).

const BUDGET_BYTES = 220 * 1024
const SHOPPER_BYTES = 60 * 1024
const MAIL_EDITOR_BYTES = 200 * 1024
/** HTTP/1.1 loads six at a time. */
const MAX_FILES = 25
const BUILT = 'dist/web'
const MANIFEST = `${BUILT}/.vite/manifest.json`

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}

function manifest(): Record<string, Chunk> {
  if (!existsSync(MANIFEST)) throw new Error('The browser app is not built: run `npm run build` first.')
  return JSON.parse(readFileSync(MANIFEST, 'utf8'))
}

/** Static imports of these chunks, including transitive ones. */
function listFirstLoad(chunks: Record<string, Chunk>, entries: string[]): string[] {
  const visited = new Set<string>()
  const visit = (key: string) => {
    if (visited.has(key)) return
    visited.add(key)
    for (const each of chunks[key]!.imports ?? []) visit(each)
  }
  for (const entry of entries) visit(entry)
  return [...visited].map((key) => chunks[key]!.file)
}

const readSource = (file: string) => readFileSync(`${BUILT}/${file}`, 'utf8')

it('the landing page loads nothing of the app', () => {
  const landing = manifest()['screens/landing/landing.ts']!
  expect(landing.imports ?? []).toEqual([])
  expect(readSource(landing.file).length).toBeLessThan(2_000)
})

it('no chunks import each other in a circle', () => {
  const chunks = manifest()
  const listImports = (key: string) => chunks[key]!.imports ?? []
  const circles = Object.keys(chunks).filter((key) => listImports(key).some((each) => canReach(listImports, each, key)))
  expect(circles.map((key) => chunks[key]!.file)).toEqual([])
})

function canReach(importsOf: (key: string) => string[], from: string, to: string): boolean {
  const visited = new Set<string>()
  const waiting = [from]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (key === to) return true
    if (visited.has(key)) continue
    visited.add(key)
    waiting.push(...importsOf(key))
  }
  return false
}

describe('the first load of the signed-in shell', () => {
  const files = listFirstLoad(manifest(), ['index.html', 'screens/shell/Shell.tsx'])

  it(`stays within ${BUDGET_BYTES / 1024} KB of gzipped JavaScript`, () => {
    const bytes = files.map((file) => gzipSync(readSource(file)).length).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(50 * 1024)
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES)
  })

  // A string that identifies each library in the built code.
  const heavy: [library: string, sign: RegExp][] = [
    ['zod', /ZodError|_zod\b/],
    ['socket.io', /engine\.io|socket\.io-client|io-client/],
    ['chart.js', /Chart\.js|chartjs/i],
    ['the table library', /mantine-datatable/],
  ]
  it.each(heavy)('excludes %s', (_library, sign) => {
    expect(files.filter((file) => sign.test(readSource(file)))).toEqual([])
  })

  it('preloads the addressed screen for signed-in users', () => {
    const ahead = readSource('ahead.js')
    const screens = Object.entries(manifest()).filter(
      ([key]) =>
        key === 'screens/shell/Shell.tsx' || /^\w+\/(carts|flows|dashboard|settings)\/\w+(Page|Tab)\.tsx$/.test(key),
    )
    expect(screens.length).toBeGreaterThan(10)
    expect(screens.filter(([, { file }]) => !ahead.includes(`"${file}"`)).map(([key]) => key)).toEqual([])
    expect(ahead.match(/assets\/[^"]+/g)?.filter((file) => !existsSync(`${BUILT}/${file}`))).toEqual([])
  })

  it('loads every screen as a separate chunk on demand', () => {
    const screens = Object.keys(manifest()).filter((key) => /^(features|screens)\/[a-z-]+\/\w+Page\.tsx$/.test(key))
    expect(screens.length).toBeGreaterThan(10)
    expect(screens.map((key) => manifest()[key]!.file).filter((file) => files.includes(file))).toEqual([])
  })
})

describe('the mail editor', () => {
  const chunks = manifest()
  const editor = 'kits/mail-editor/MailEditor.tsx'

  it.each([
    'features/flows/FlowPage.tsx',
    'features/campaigns/CampaignsPage.tsx',
    'features/carts/CartsPage.tsx',
    'features/customers/CustomersPage.tsx',
  ])(`adds at most ${MAIL_EDITOR_BYTES / 1024} KB of gzipped JavaScript to %s`, (page) => {
    const loaded = new Set(listFirstLoad(chunks, ['index.html', 'screens/shell/Shell.tsx', page]))
    const added = listFirstLoad(chunks, [editor]).filter((file) => !loaded.has(file))
    const bytes = added.map((file) => gzipSync(readSource(file)).length).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(50 * 1024)
    expect(bytes).toBeLessThanOrEqual(MAIL_EDITOR_BYTES)
  })

  it('is loaded when it opens, by no screen', () => {
    const importers = Object.keys(chunks).filter((key) => chunks[key]!.imports?.includes(editor))
    expect(importers).toEqual([])
    const withProseMirror = Object.values(chunks).filter(
      ({ file }) => file.endsWith('.js') && /ProseMirror-selectednode/.test(readSource(file)),
    )
    expect(withProseMirror.map(({ file }) => file)).toEqual([chunks[editor]!.file])
  })
})

describe('a screen', () => {
  const chunks = manifest()
  const sources = Object.fromEntries(
    [...readFileSync('web/screens.ts', 'utf8').matchAll(/import\('\.\/([^']+)'\),\s*'(\w+)'/g)].map(
      ([, file, name]) => [name!, file!],
    ),
  )
  /** Of the page itself: two scripts before the app, the style sheet and the font. */
  const pageFiles = (readSource('index.html').match(/(src|href)="\/[^"]+\.(js|css|woff2)"/g) ?? []).filter(
    (each) => !each.includes('/assets/') || !each.endsWith('.js"'),
  ).length

  it.each(
    screens.filter(({ loader, isForShoppers }) => loader in sources && !isForShoppers),
  )(`$path loads at most ${MAX_FILES} files`, ({ loader, frame }) => {
    const around = frame === 'page' ? [] : ['Shell', ...(frame === 'settings' ? ['SettingsPage'] : [])]
    const entries = ['index.html', ...[...around, loader].map((name) => sources[name]!)]
    expect(listFirstLoad(chunks, entries).length + pageFiles).toBeLessThanOrEqual(MAX_FILES)
  })
})

describe('a shopper’s page', () => {
  const page = readSource('shopper.html')
  const scripts = [...page.matchAll(/src="\/([^"]+\.js)"/g)].map(([, file]) => file!)

  it(`loads less than ${SHOPPER_BYTES / 1024} KB of script`, () => {
    const readServed = (file: string) =>
      readFileSync(existsSync(`${BUILT}/${file}.br`) ? `${BUILT}/${file}.br` : `${BUILT}/${file}`)
    expect(scripts.length).toBe(2)
    expect(scripts.map((file) => readServed(file).length).reduce((sum, size) => sum + size, 0)).toBeLessThan(
      SHOPPER_BYTES,
    )
  })

  it('loads nothing of the app', () => {
    const ofApp = new Set(Object.values(manifest()).map(({ file }) => file))
    expect(scripts.filter((file) => ofApp.has(file))).toEqual([])
    expect(scripts.filter((file) => /\bimport[\s{*"']/.test(readSource(file)))).toEqual([])
  })
})
