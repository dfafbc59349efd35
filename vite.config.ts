import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './scripts/precompress.ts'
import { landingPage } from './web/landing/build.ts'

const server = `http://localhost:${process.env.PORT ?? 3000}`
const served = ['/api', '/c', '/u', '/capture', '/socket.io', '/docs', '/healthz', '/readyz']

export default defineConfig(() => {
  // Vitest reads this file when it has none of its own; tests must see the real zod and the whole repository.
  if (process.env.VITEST) return {}
  return {
    root: 'web',
    plugins: [react(), landingPage(), precompress()],
    resolve: {
      // The browser needs only method and path of a contract; its schemas were checked on the server (60 KB saved).
      alias: [{ find: /^zod$/, replacement: fileURLToPath(new URL('./web/zod-stub.ts', import.meta.url)) }],
    },
    build: { outDir: '../dist/web', emptyOutDir: true, manifest: true },
    server: {
      port: 5173,
      // Whole path segments: a bare '/c' would also take '/carts'.
      proxy: Object.fromEntries(
        served.map((path) => [`^${path}(/|\\?|$)`, { target: server, ws: path === '/socket.io' }]),
      ),
    },
  }
})
