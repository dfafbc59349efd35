import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { precompress } from './precompress.ts'

// Bundles what runs on the merchants' sites, also compressed. `outDir` apart, so that a test can build into a folder of its own.

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export async function buildStorefront(outDir = here('../dist/storefront')): Promise<void> {
  await build({
    configFile: false,
    root: here('../storefront'),
    publicDir: false,
    logLevel: 'warn',
    plugins: [precompress()],
    build: {
      outDir,
      emptyOutDir: true,
      // Shoppers come with the browsers they have.
      target: 'es2019',
      modulePreload: false,
      rollupOptions: {
        input: here('../storefront/capture.ts'),
        output: { format: 'iife', entryFileNames: 'capture.js' },
      },
    },
  })
}

if (import.meta.main) await buildStorefront()
