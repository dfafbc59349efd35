// `npm start`: installs and builds what is missing, then runs the server and exits with its exit code.

import path from 'node:path'
import { ensureInstalled, ensureWebBuilt, findNode26, main, root, run } from './prepare.mjs'

await main(async () => {
  // Settings and the data folder are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  const node = findNode26()
  await ensureWebBuilt(node)
  // The ipc channel closes whenever this process ends; the server then stops (server/core/common/shutdown.ts).
  // The default semi-space of 16 MB uses 20 MB more memory without being faster (docs/performance.md).
  const flags = ['--max-semi-space-size=4']
  // The compile cache saves later starts a third of the processor time, and memory. Changed files are compiled again.
  const env = { NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'recoup'), ...process.env }
  return run(node, [...flags, 'server/main.ts', ...process.argv.slice(2)], {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
})
