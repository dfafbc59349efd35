import { UnstyledButton } from '@mantine/core'
import { IconGripVertical, IconPlus } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { type DragEvent, type RefObject, useEffect, useState } from 'react'
import { AddMenu } from './AddMenu.tsx'
import { addBlock, selectBlock } from './actions.ts'

interface Place {
  pos: number
  top: number
  element: HTMLElement
}

/** Beside the block under the mouse: "+" and the handle to drag it by. Keys and outline do the same. */
export function Gutter({ editor, frame }: { editor: Editor; frame: RefObject<HTMLDivElement | null> }) {
  const [isOpen, setOpen] = useState(false)
  const place = useHovered(editor, frame, isOpen)
  if (!place) return null
  const isMovable = place.element.dataset.block !== 'footer'
  const drag = (event: DragEvent) => {
    const { view } = editor
    selectBlock(editor, place.pos)
    const { selection } = view.state
    if (!(selection instanceof NodeSelection)) return
    const slice = selection.content()
    event.dataTransfer.clearData()
    event.dataTransfer.setData('text/html', view.serializeForClipboard(slice).dom.innerHTML)
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setDragImage(place.element, 0, 0)
    view.dragging = { slice, move: true }
  }
  return (
    <div className="me-gutter" style={{ top: place.top }}>
      {isMovable && (
        <>
          <AddMenu
            position="right-start"
            onOpenChange={setOpen}
            onChoose={(choice) => {
              selectBlock(editor, place.pos)
              addBlock(editor, choice)
            }}
          >
            <UnstyledButton className="me-grip" tabIndex={-1} aria-label="Add a block below" title="Add a block below">
              <IconPlus size={16} aria-hidden />
            </UnstyledButton>
          </AddMenu>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; keys move blocks too */}
          <div
            className="me-grip me-drag"
            title="Drag to move, or press Alt+Shift+↑ or ↓"
            draggable
            onClick={() => selectBlock(editor, place.pos)}
            onKeyDown={undefined}
            onDragStart={drag}
            onDragEnd={() => {
              editor.view.dragging = null
            }}
          >
            <IconGripVertical size={16} aria-hidden />
          </div>
        </>
      )}
    </div>
  )
}

/** The block under the mouse; it stays while its menu is open. */
function useHovered(editor: Editor, frame: RefObject<HTMLDivElement | null>, isKept: boolean): Place | null {
  const [place, setPlace] = useState<Place | null>(null)
  useEffect(() => {
    const area = frame.current
    if (!area || isKept) return
    const find = (event: MouseEvent) => {
      const target = event.target as HTMLElement
      if (target.closest('.me-gutter')) return
      const element = target.closest<HTMLElement>('[data-block]') ?? findBeside(editor, event.clientY)
      const pos = element && findPosition(editor, element)
      if (!element || pos === null) return
      const top = element.getBoundingClientRect().top - area.getBoundingClientRect().top
      setPlace({ pos: pos!, top, element })
    }
    const hide = () => setPlace(null)
    area.addEventListener('mousemove', find)
    editor.on('update', hide)
    return () => {
      area.removeEventListener('mousemove', find)
      editor.off('update', hide)
    }
  }, [editor, frame, isKept])
  return place
}

/** The block at this height, for a mouse in the margin. */
const findBeside = (editor: Editor, y: number): HTMLElement | null =>
  [...editor.view.dom.querySelectorAll<HTMLElement>('[data-block]')].findLast((each) => {
    const { top, bottom } = each.getBoundingClientRect()
    return y >= top && y <= bottom
  }) ?? null

function findPosition({ state, view }: Editor, element: HTMLElement): number | null {
  let found: number | null = null
  state.doc.descendants((node, pos) => {
    if (found === null && view.nodeDOM(pos) === element) found = pos
    return found === null && !node.isTextblock
  })
  return found
}
