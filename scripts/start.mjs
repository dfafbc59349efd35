// `npm start`: prepares what is missing, then runs the server and passes its end on.

import path from 'node:path'
import { ensureInstalled, ensureWebBuilt, main, node26, root, run } from './prepare.mjs'

await main(async () => {
  // Settings and the data folder are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  const node = node26()
  await ensureWebBuilt(node)
  // The ipc channel closes when this process ends, however it ends; the server stops then (server/core/common/shutdown.ts).
  // Room for young objects: the default of 16 MB holds 20 MB more in memory and makes nothing faster (docs/performance.md).
  const flags = ['--max-semi-space-size=4']
  // The first start leaves what it compiled: the next ones take a third less processor time and hold less in memory. A file that has changed is
  // compiled again.
  const env = { NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'recoup'), ...process.env }
  return run(node, [...flags, 'server/main.ts', ...process.argv.slice(2)], {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
})
