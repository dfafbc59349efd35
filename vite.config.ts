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
/**
 * What the frame is made of, also where a screen uses it too: in a file with parts of screens it would bring those along. With it `useOnce`,
 * which many screens share: merged with one area's parts, it made two files wait for each other.
 */
const OF_SHELL = new RegExp(
  [
    '@mantine.core.esm.components.(Tooltip|Popover|Modal|ScrollArea).',
    '@mantine.hooks.esm.use-disclosure',
    'web.features.accounts.LogoutDialog',
    'web.features.notifications.(keys|order).ts$',
    'web.features.billing.(rules|statusLook).ts$',
    'web.core.access.(current-store|scope).ts$',
    'web.features.stores.(queries|mail-server-queries|sync-age).ts$',
    'web.screens.shell.(queries|account-pages).ts$',
    'shared.[a-z]+.(paging|capture-status|mail-server|sending|account).ts$',
    'web.core.ui.(announce|clock|Empty|listQuery|StatusBadge|Time|useOnce).tsx?$',
    `icons.(${shellIcons.join('|')}).mjs$`,
  ].join('|'),
)

/**
 * What several screens share comes in few files: a screen made of fifty small ones waited half a second for them, as a browser asks a
 * host for six at a time.
 */
const groups = [
  { name: 'first', tags: ['$initial' as const], test: (id: string) => !ENTRIES.test(id), priority: 3 },
  { name: 'shell', test: OF_SHELL, priority: 2 },
  // Merged by size with others, these came to wait for each other: two files in a circle, and no screen with a field could be shown.
  { name: 'fields', test: /@mantine.core.esm.components.Input(Base)?[\\/]/, priority: 2 },
  // As the fields: parts with queries and rules of carts came to wait for each other.
  { name: 'carts', test: /web.kits.carts.(queries|rules)\.ts$/, priority: 2 },
  { name: 'parts', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 4_000 },
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
    plugins: [react(), createLandingPlugin(), loadAhead(), shopperPages({ alias }), precompress()],
    resolve: {
      alias,
    },
    build: {
      outDir: '../dist/web',
      emptyOutDir: true,
      manifest: true,
      // What a page loads has a limit of its own (web/bundle.test.ts); its warning looks like a fault at the first start.
      chunkSizeWarningLimit: 1_000,
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
