import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'

const clone = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-release-'))
afterAll(() => fs.rmSync(clone, { recursive: true }))

const FILES = [
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'Dockerfile',
  'compose.yaml',
  'compose.scale.yaml',
  'deploy/chart/Chart.yaml',
  'scripts/prepare.mjs',
  'scripts/release.mjs',
  'scripts/build-plugin.test.ts',
  'plugin/recoup-for-woocommerce/readme.txt',
  'plugin/recoup-for-woocommerce/src/Plugin.php',
  'plugin/recoup-for-woocommerce/recoup-for-woocommerce.php',
]
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: clone,
    encoding: 'utf8',
  })
const release = (version: string) =>
  spawnSync(process.execPath, ['scripts/release.mjs', version], { cwd: clone, encoding: 'utf8' })

test('a release sets one version everywhere, closes the changelog and refuses a dirty tree', () => {
  for (const file of FILES) fs.cpSync(file, path.join(clone, file))
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'all')
  expect(release('0.3')).toMatchObject({ status: 1, stderr: 'Name the version: npm run release -- 0.3.0\n' })

  expect(release('7.8.9')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Set version 7.8.9 in 11 files.'),
  })
  const changed = git('diff', '--name-only').trim().split('\n')
  expect(changed.sort()).toEqual(FILES.filter((file) => !/scripts\/.*\.mjs/.test(file)).sort())
  expect(git('diff', '-U0').match(/^\+.*7\.8\.9.*$/gm)).toHaveLength(13)
  expect(fs.readFileSync(path.join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(
    /\n## Unreleased\n\n## 7\.8\.9 \(\d{4}-\d\d-\d\d\)\n/,
  )

  expect(release('7.9.0')).toMatchObject({
    status: 1,
    stderr: 'There are uncommitted changes. Commit or discard them first.\n',
  })
})
