// `npm run dev`: restarts the server and reloads the browser on every change. Both processes end together.

import { spawn } from 'node:child_process'
import { buildToolEnv, ensureInstalled, findNode26, main, root, tool, waitForExit } from './prepare.mjs'

await main(async () => {
  process.chdir(root)
  await ensureInstalled()
  const node = findNode26()
  const options = { cwd: root, stdio: 'inherit', env: buildToolEnv() }
  const server = spawn(node, ['--watch', '--watch-preserve-output', 'server/main.ts'], options)
  // Vite's proxy forwards /api and the other server routes (vite.config.ts).
  const browserApp = spawn(node, [tool('vite')], options)
  return waitForExit(server, browserApp)
})
