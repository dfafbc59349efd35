import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { placeAt, placeByKey } from './reorder.ts'

interface Drag {
  id: string
  /** How far it was dragged, and where it would come to lie. */
  by: number
  to: number
}

/** So near the edge of the window the page goes on by itself. */
const EDGE_PX = 80
const SCROLL_PX = 12

/**
 * A list that is put in order by a handle at each item: it is dragged by pointer or finger, and goes by the arrow keys, Home and End while
 * it has the focus, which stays with it. Escape lets go of what is being dragged. `onMove` is told the places before and after.
 */
export function useReorder(ids: readonly string[], onMove: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag | null>(null)
  const items = useRef(new Map<string, HTMLElement>())
  const handles = useRef(new Map<string, HTMLElement>())
  const held = useRef<{ startY: number; middles: number[] } | null>(null)
  const moving = useRef<{ id: string; before: string } | null>(null)

  // What is moved in the document loses the focus.
  useLayoutEffect(() => {
    const { current } = moving
    if (!current || current.before === ids.join()) return
    handles.current.get(current.id)?.focus()
    moving.current = null
  })

  const letGo = () => {
    held.current = null
    setDrag(null)
  }
  const move = (id: string, to: number) => {
    const from = ids.indexOf(id)
    if (from === to) return
    moving.current = { id, before: ids.join() }
    onMove(from, to)
  }

  const isDragging = drag !== null
  useEffect(() => {
    if (!isDragging) return
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      held.current = null
      setDrag(null)
    }
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [isDragging])

  const handleOf = (id: string) => ({
    ref: keep(handles.current, id),
    onKeyDown(event: KeyboardEvent) {
      const to = placeByKey(event.key, ids.indexOf(id), ids.length)
      if (to === null || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      move(id, to)
    },
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      held.current = { startY: event.pageY, middles: ids.map((each) => middleOf(items.current.get(each)!)) }
      setDrag({ id, by: 0, to: ids.indexOf(id) })
    },
    onPointerMove(event: PointerEvent) {
      const { current } = held
      if (!current) return
      scrollAt(event.clientY)
      setDrag({
        id,
        by: event.pageY - current.startY,
        to: placeAt(current.middles, ids.indexOf(id), event.pageY),
      })
    },
    onPointerUp() {
      if (held.current && drag) move(id, drag.to)
      letGo()
    },
    onPointerCancel: letGo,
  })

  const itemOf = (id: string) => {
    const from = drag ? ids.indexOf(drag.id) : -1
    const index = ids.indexOf(id)
    // Stands over the item that the dragged one would come before, or under the last.
    const isAfter = drag !== null && drag.to > from
    const isTarget = drag !== null && drag.to !== from && index === drag.to
    return {
      ref: keep(items.current, id),
      ...(drag?.id === id && { 'data-dragged': true, style: { transform: `translateY(${drag.by}px)` } }),
      ...(isTarget && { 'data-drop': isAfter ? 'after' : 'before' }),
    }
  }
  return { handleOf, itemOf }
}

const keep = (kept: Map<string, HTMLElement>, id: string) => (element: HTMLElement | null) => {
  if (element) kept.set(id, element)
  else kept.delete(id)
}

/** From the top of the page. */
function middleOf(element: HTMLElement): number {
  const { top, height } = element.getBoundingClientRect()
  return top + scrollY + height / 2
}

function scrollAt(y: number): void {
  if (y < EDGE_PX) scrollBy(0, -SCROLL_PX)
  else if (y > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
}
