// `npm run release -- X.Y.Z`: sets the version of app, plugin, image and chart, and closes the section of the changelog.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { main, root, UserError } from './prepare.mjs'

/** Each pattern must match: a place that has moved stops the release. */
const PLACES = {
  'package.json': [/("version": ")[^"]+/],
  'package-lock.json': [/("version": ")[^"]+/, /("": \{\s+"name": "recoup",\s+"version": ")[^"]+/],
  'plugin/recoup-for-woocommerce/readme.txt': [/(Stable tag: )\S+/],
  'plugin/recoup-for-woocommerce/src/Plugin.php': [/(VERSION = ')[^']+/],
  'plugin/recoup-for-woocommerce/recoup-for-woocommerce.php': [/(\* Version: )\S+/],
  'scripts/build-plugin.test.ts': [/(Project-Id-Version: Recoup for WooCommerce )[\d.]+/],
  Dockerfile: [/(image\.version=")[^"]+/],
  'compose.yaml': [/(image: recoup:)\S+/],
  'compose.scale.yaml': [/(image: recoup:)\S+/],
  'deploy/chart/Chart.yaml': [/(\nversion: )\S+/, /(\nappVersion: )\S+/],
}

await main(async () => {
  const version = process.argv[2] ?? ''
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new UserError('Name the version: npm run release -- 0.3.0')
  const { status, stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (status !== 0 || stdout !== '') throw new UserError('There are uncommitted changes. Commit or discard them first.')
  const files = Object.entries(PLACES).map(([file, patterns]) => [file, setVersion(file, patterns, version)])
  files.push(['CHANGELOG.md', closeSection(version)])
  for (const [file, content] of files) fs.writeFileSync(path.join(root, file), content)
  console.log(`Set version ${version} in ${files.length} files. Check git diff, then commit and tag v${version}.`)
  return 0
})

function setVersion(file, patterns, version) {
  let content = read(file)
  for (const pattern of patterns) {
    if (!pattern.test(content)) throw new UserError(`${file} does not contain ${pattern}. Nothing was changed.`)
    content = content.replace(pattern, (_, before) => before + version)
  }
  return content
}

function closeSection(version) {
  const content = read('CHANGELOG.md')
  const open = /^## Unreleased.*\n/m
  if (!open.test(content)) throw new UserError('CHANGELOG.md has no section Unreleased. Nothing was changed.')
  if (content.includes(`\n## ${version} `)) throw new UserError(`CHANGELOG.md has a section ${version} already.`)
  const day = new Date().toISOString().slice(0, 10)
  return content.replace(open, `## Unreleased\n\n## ${version} (${day})\n`)
}

function read(file) {
  return fs.readFileSync(path.join(root, file), 'utf8')
}
