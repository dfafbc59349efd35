// `npm run dev`: the server restarts and the browser reloads on every change; both end together.

import { spawn } from 'node:child_process'
import { ended, ensureInstalled, main, node26, root, tool, toolEnv } from './prepare.mjs'

await main(async () => {
  process.chdir(root)
  await ensureInstalled()
  const node = node26()
  const options = { cwd: root, stdio: 'inherit', env: toolEnv() }
  const server = spawn(node, ['--watch', '--watch-preserve-output', 'server/main.ts'], options)
  // Its proxy passes /api and the other server routes on to the server (vite.config.ts).
  const browserApp = spawn(node, [tool('vite')], options)
  return ended(server, browserApp)
})
