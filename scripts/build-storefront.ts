import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { precompress } from './precompress.ts'

// Bundles the scripts for merchants' sites as separate files, also compressed. Tests pass their own `outDir`.

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const bundles = {
  'capture.js': 'capture.ts',
  'capture-theme.js': 'capture.ts',
  'push.js': 'push.ts',
  'sw.js': 'push-worker.ts',
} as const

export async function buildStorefront(outDir = resolvePath('../dist/storefront')): Promise<void> {
  for (const [name, source] of Object.entries(bundles)) await bundle(outDir, name, source)
}

async function bundle(outDir: string, name: string, source: string): Promise<void> {
  await build({
    configFile: false,
    root: resolvePath('../storefront'),
    publicDir: false,
    logLevel: 'warn',
    plugins: [precompress()],
    // Removes the code for the other kind of shop.
    define: { IS_THEME: String(name === 'capture-theme.js') },
    build: {
      outDir,
      emptyOutDir: name === 'capture.js',
      // Shoppers use older browsers, too.
      target: 'es2019',
      modulePreload: false,
      rollupOptions: {
        input: resolvePath(`../storefront/${source}`),
        output: { format: 'iife', entryFileNames: name },
      },
    },
  })
}

if (import.meta.main) await buildStorefront()
