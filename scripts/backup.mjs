// `npm run backup` and `npm run restore`: installs missing packages, then runs the command.

import path from 'node:path'
import { ensureInstalled, findNode26, main, root, run } from './prepare.mjs'

await main(async () => {
  const [command, file, ...rest] = process.argv.slice(2)
  // The file is relative to where npm was called; settings and the data folder are relative to the clone.
  const named = file === undefined ? [] : [path.resolve(process.env.INIT_CWD ?? process.cwd(), file)]
  process.chdir(root)
  await ensureInstalled()
  return run(findNode26(), ['server/core/backup/main.ts', command, ...named, ...rest])
})
