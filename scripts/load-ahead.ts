import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import { screens } from '../shared/screens.ts'
import type { AheadScreen } from '../web/ahead.ts'
import { accountCalls, connectionCall, screenCalls, shellCalls } from '../web/core/access/first-calls.ts'

const SCREENS = fileURLToPath(new URL('../web/screens.ts', import.meta.url))
const SCRIPT = fileURLToPath(new URL('../web/ahead.ts', import.meta.url))
const SHELL = 'web/screens/shell/Shell.tsx'

/**
 * Emits `ahead.js` (`web/ahead.ts`), which the page loads in parallel with the app. For signed-in users it starts the
 * first calls and preloads the files of the shell and the requested screen before the app imports them. For others it
 * loads nothing.
 */
export function loadAhead({ alias }: { alias: { find: RegExp; replacement: string }[] }): Plugin {
  return {
    name: 'recoup:load-ahead',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: '/ahead.js', async: true, fetchpriority: 'high' }, injectTo: 'head-prepend' },
    ],
    // After Vite has removed chunks that contain only a style sheet.
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const collectFiles = (screen: string) => {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${screen}`))
          if (!chunk) throw new Error(`${screen} has no file of its own`)
          return collectImports(bundle, chunk.fileName)
        }
        const entryFiles = new Set(
          collectImports(bundle, chunks.find(({ name, isEntry }) => isEntry && name === 'index')!.fileName),
        )
        const shell = collectFiles(SHELL)
        const componentFiles = parseComponentFiles(readFileSync(SCREENS, 'utf8'))
        const ahead = screens
          .filter(({ frame }) => frame !== 'page')
          .map(({ path, loader, frame }): AheadScreen => {
            const own = [
              componentFiles[loader]!,
              ...(frame === 'settings' ? [componentFiles.SettingsPage!] : []),
            ].flatMap(collectFiles)
            const pattern = `^${path.replace(/:\w+/g, '[^/]+')}/?$`
            const files = [...new Set([...shell, ...own])].filter((each) => !entryFiles.has(each))
            return { pattern, files, calls: [...shellCalls, ...(screenCalls[loader] ?? [])] }
          })
        const first = chunks.find(({ name }) => name === 'first')!.fileName
        const data = { account: accountCalls, connection: connectionCall, first, screens: ahead }
        const script = await buildScript(alias)
        const source = `;(() => {const AHEAD=${JSON.stringify(data)};${script}})()\n`
        this.emitFile({ type: 'asset', fileName: 'ahead.js', source })
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

/** In a build of its own, without what it does not call. */
async function buildScript(alias: { find: RegExp; replacement: string }[]): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { alias },
    build: {
      write: false,
      rolldownOptions: {
        input: SCRIPT,
        output: { format: 'iife' },
        treeshake: { moduleSideEffects: (id) => id === SCRIPT },
      },
    },
  })) as Rolldown.RolldownOutput
  return output[0].code
}
