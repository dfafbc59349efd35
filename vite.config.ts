import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { loadAhead } from './scripts/load-ahead.ts'
import { precompress } from './scripts/precompress.ts'
import { shopperPages } from './scripts/shopper-pages.ts'
import { createLandingPlugin } from './web/screens/landing/build.ts'

const server = `http://localhost:${process.env.PORT ?? 3000}`
const served = ['/api', '/brand', '/c', '/u', '/capture', '/socket.io', '/docs', '/healthz', '/readyz']

/** Where a page begins; the landing page's script is nobody else's. */
const ENTRIES = /\/web\/(main\.tsx|index\.html|screens\/landing\/landing\.ts)/
/** The names of the icons in the frame around every screen. */
const shellIcons = [
  ...['web/screens/shell', 'web/kits/page'].flatMap((folder) => readdirSync(folder).map((file) => `${folder}/${file}`)),
  'web/features/billing/statusLook.ts',
].flatMap((file) => readFileSync(file, 'utf8').match(/\bIcon[A-Z]\w+/g) ?? [])
/** Parts of libraries in that frame, also where a screen uses them too. */
const OF_SHELL = new RegExp(
  [
    '@mantine.core.esm.components.(Tooltip|Popover|Modal|ScrollArea).',
    '@mantine.hooks.esm.use-disclosure',
    `icons.(${shellIcons.join('|')}).mjs$`,
  ].join('|'),
)

/** Parts of libraries for editors; most screens open without them. */
const OF_FIELDS =
  /react-number-format|@mantine.core.esm.components.(NumberInput|Select|Combobox|Textarea|Radio|Tabs|FileButton|Grid)./
const isVendor = (id: string) => id.includes('node_modules') && !OF_FIELDS.test(id)

const resolveSource = (path: string) => fileURLToPath(new URL(`./web/${path}`, import.meta.url))

interface Modules {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

/** A group of our own modules that these files import, without the files themselves. */
function importedBy(name: string, ...files: string[]): (id: string, all: Modules) => string | null {
  const entries = files.map(resolveSource)
  let imported: Set<string> | null = null
  const collect = (all: Modules) => {
    const modules = new Set(entries)
    for (const id of modules) {
      for (const each of all.getModuleInfo(id)?.importedIds ?? []) if (!each.includes('node_modules')) modules.add(each)
    }
    for (const entry of entries) modules.delete(entry)
    return modules
  }
  return (id, all) => {
    imported ??= collect(all)
    return imported.has(id) ? name : null
  }
}

/** The layer of a module. A layer imports only lower ones, so their files never wait for each other. */
function nameOfLayer(id: string): string {
  if (id.includes('node_modules')) return 'vendor'
  const [, floor, room] = /\/web\/(kits|features|screens)\/([\w-]+)/.exec(id) ?? []
  return floor === undefined ? 'core' : floor === 'kits' ? 'kits' : `${floor}-${room}`
}

const importedBySignIn = importedBy('sign-in', 'features/accounts/SignInPage.tsx')
const importedByShell = importedBy('shell', 'screens/shell/Shell.tsx')
const isOfShell = (id: string, all: Modules) => (OF_SHELL.test(id) ? 'shell' : importedByShell(id, all))
const LIBRARY_BASICS = /(IconPlayerPlay|use-resolved-styles-api|use-callback-ref|to-int|use-id|use-uncontrolled).mjs$/
/** What signing in shares with the shell; it would load the shell's parts otherwise. */
const isBasic = (id: string, all: Modules) =>
  LIBRARY_BASICS.test(id) || (importedBySignIn(id, all) && importedByShell(id, all)) ? 'basics' : null

/**
 * What screens share comes in few files: a screen made of eighty small ones waited seconds for them on a phone, as a
 * browser asks a host for six at a time. What many screens share is one file; what few share, a file per layer.
 */
const groups = [
  { name: 'first', tags: ['$initial' as const], test: (id: string) => !ENTRIES.test(id), priority: 5 },
  { name: isBasic, debugName: 'basics', priority: 4.7 },
  { name: importedBySignIn, debugName: 'sign-in', priority: 4.5 },
  // In a file with parts of screens these would bring those along.
  { name: isOfShell, debugName: 'shell', priority: 4 },
  { name: 'vendor', test: isVendor, minShareCount: 2, priority: 3.2 },
  { name: 'fields', test: /node_modules/, minShareCount: 3, priority: 3 },
  // The two screens that open most often load nothing that they do not use.
  {
    name: importedBy('dashboard', 'screens/dashboard/DashboardPage.tsx'),
    debugName: 'dashboard',
    minShareCount: 2,
    priority: 2.8,
  },
  { name: importedBy('flows', 'features/flows/FlowsPage.tsx'), debugName: 'flows', minShareCount: 2, priority: 2.6 },
  { name: 'common', minShareCount: 5, priority: 1 },
  { name: nameOfLayer, debugName: 'layer', minShareCount: 2 },
]

/** What is named after everybody who shares it would have a name of two hundred letters. */
const fileNameOf = ({ name }: { name: string }) => `assets/${name.split('~')[0]}-[hash].js`

/** The browser needs only method and path of a contract; its schemas were checked on the server (60 KB saved). */
const alias = [{ find: /^zod$/, replacement: fileURLToPath(new URL('./web/zod-stub.ts', import.meta.url)) }]

export default defineConfig(() => {
  // Vitest reads this file when it has none of its own; tests must see the real zod and the whole repository.
  if (process.env.VITEST) return {}
  return {
    root: 'web',
    plugins: [react(), createLandingPlugin(), loadAhead({ alias }), shopperPages({ alias }), precompress()],
    resolve: {
      alias,
    },
    build: {
      outDir: '../dist/web',
      emptyOutDir: true,
      manifest: true,
      // What a page loads has a limit of its own (web/bundle.test.ts); its warning looks like a fault at the first start.
      chunkSizeWarningLimit: 1_000,
      // One style sheet: twenty small ones would wait in line like the scripts.
      cssCodeSplit: false,
      rolldownOptions: { output: { codeSplitting: { groups }, chunkFileNames: fileNameOf } },
    },
    server: {
      port: 5173,
      // Whole path segments: a bare '/c' would also take '/carts'.
      proxy: Object.fromEntries(
        served.map((path) => [`^${path}(/|\\?|$)`, { target: server, ws: path === '/socket.io' }]),
      ),
    },
  }
})
