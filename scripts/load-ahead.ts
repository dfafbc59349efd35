import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin, Rolldown } from 'vite'
import { screens } from '../shared/screens.ts'

const SCREENS = fileURLToPath(new URL('../web/screens.ts', import.meta.url))
const SHELL = 'web/screens/shell/Shell.tsx'

/**
 * Emits `ahead.js`, which the page loads in parallel with the app. For signed-in users it preloads the files of the
 * shell and the requested screen before the app imports them. For others it loads nothing.
 */
export function loadAhead(): Plugin {
  return {
    name: 'recoup:load-ahead',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: '/ahead.js', async: true, fetchpriority: 'high' }, injectTo: 'head-prepend' },
    ],
    // After Vite has removed chunks that contain only a style sheet.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const collectFiles = (screen: string) => {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${screen}`))
          if (!chunk) throw new Error(`${screen} has no file of its own`)
          return collectImports(bundle, chunk.fileName)
        }
        const entryFiles = new Set(
          collectImports(bundle, chunks.find(({ name, isEntry }) => isEntry && name === 'index')!.fileName),
        )
        const shell = collectFiles(SHELL).filter((file) => !entryFiles.has(file))
        const componentFiles = parseComponentFiles(readFileSync(SCREENS, 'utf8'))
        const ahead = screens
          .filter(({ frame }) => frame !== 'page')
          .map(({ path, loader, frame }) => {
            const own = [
              componentFiles[loader]!,
              ...(frame === 'settings' ? [componentFiles.SettingsPage!] : []),
            ].flatMap(collectFiles)
            const pattern = `^${path.replace(/:\w+/g, '[^/]+')}/?$`
            return [pattern, [...new Set(own)].filter((each) => !entryFiles.has(each) && !shell.includes(each))]
          })
        this.emitFile({ type: 'asset', fileName: 'ahead.js', source: buildScript(shell, ahead) })
      },
    },
  }
}

/** The file of each component, by its name. */
const parseComponentFiles = (source: string): Record<string, string> =>
  Object.fromEntries(
    [...source.matchAll(/import\('\.\/([^']+)'\),\s*'(\w+)'/g)].map(([, file, name]) => [name!, `web/${file}`]),
  )

function collectImports(bundle: Rolldown.OutputBundle, fileName: string, visited = new Set<string>()): string[] {
  const file = bundle[fileName]
  if (file?.type !== 'chunk' || visited.has(fileName)) return [...visited]
  visited.add(fileName)
  for (const each of file.imports) collectImports(bundle, each, visited)
  return [...visited]
}

const buildScript = (shell: string[], screens: unknown[]) => `;(() => {
  let token = null
  try {
    token = localStorage.getItem('token') || sessionStorage.getItem('token')
  } catch {}
  const screens = ${JSON.stringify(screens)}.filter(([path]) => new RegExp(path).test(location.pathname))
  if (!token || screens.length === 0) return
  for (const file of [...${JSON.stringify(shell)}, ...screens.flatMap(([, files]) => files)]) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = '/' + file
    document.head.append(link)
  }
})()
`
