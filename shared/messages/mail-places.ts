import type { Block, MailDocument } from './mail-document.ts'

// Where the blocks of a document are, for error messages.

type Path = (string | number)[]

/** Every block with its path in the document, in order. */
export const listBlockPaths = ({ bands }: Pick<MailDocument, 'bands'>): { block: Block; path: Path }[] =>
  bands.flatMap(({ blocks }, bandAt) =>
    blocks.flatMap((block, at) => {
      const path = ['bands', bandAt, 'blocks', at]
      const inside = block.type === 'columns' ? block.columns : []
      return [
        { block, path },
        ...inside.flatMap((column, side) =>
          column.map((each, place) => ({ block: each, path: [...path, 'columns', side, place] })),
        ),
      ]
    }),
  )

/** "Section 1, block 3", as the editor calls bands; null: the path leads to no band. */
export function describePlace(path: readonly PropertyKey[]): string | null {
  const from = path.indexOf('bands')
  const [band, , block, , column, inside] = path.slice(from + 1)
  if (from < 0 || typeof band !== 'number') return null
  const name = (what: string, at: PropertyKey | undefined) => (typeof at === 'number' ? [`${what} ${at + 1}`] : [])
  const isColumn = typeof block === 'number' && path[from + 4] === 'columns'
  return [
    ...name('Section', band),
    ...name('block', block),
    ...(isColumn ? [...name('column', column), ...name('block', inside)] : []),
  ].join(', ')
}
