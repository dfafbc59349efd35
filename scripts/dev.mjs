// `npm run dev`: restarts the server and reloads the browser on every change. Both processes end together.

import { spawn } from 'node:child_process'
import { ensureInstalled, main, node26, root, tool, toolEnv, waitForExit } from './prepare.mjs'

await main(async () => {
  process.chdir(root)
  await ensureInstalled()
  const node = node26()
  const options = { cwd: root, stdio: 'inherit', env: toolEnv() }
  const server = spawn(node, ['--watch', '--watch-preserve-output', 'server/main.ts'], options)
  // Vite's proxy forwards /api and the other server routes (vite.config.ts).
  const browserApp = spawn(node, [tool('vite')], options)
  return waitForExit(server, browserApp)
})
