import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { precompress } from './precompress.ts'

// Bundles what runs on the merchants' sites, each file for itself, also compressed. `outDir` apart, so that a test can build into a folder of
// its own.

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const bundles = {
  'capture.js': 'capture.ts',
  'capture-theme.js': 'capture.ts',
  'push.js': 'push.ts',
  'sw.js': 'push-worker.ts',
} as const

export async function buildStorefront(outDir = here('../dist/storefront')): Promise<void> {
  for (const [name, source] of Object.entries(bundles)) await bundle(outDir, name, source)
}

async function bundle(outDir: string, name: string, source: string): Promise<void> {
  await build({
    configFile: false,
    root: here('../storefront'),
    publicDir: false,
    logLevel: 'warn',
    plugins: [precompress()],
    // What the other kind of shop needs is left out.
    define: { IS_THEME: String(name === 'capture-theme.js') },
    build: {
      outDir,
      emptyOutDir: name === 'capture.js',
      // Shoppers come with the browsers they have.
      target: 'es2019',
      modulePreload: false,
      rollupOptions: {
        input: here(`../storefront/${source}`),
        output: { format: 'iife', entryFileNames: name },
      },
    },
  })
}

if (import.meta.main) await buildStorefront()
