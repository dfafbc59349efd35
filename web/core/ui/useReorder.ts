import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { findDropIndex, findKeyIndex } from './reorder.ts'

interface Drag {
  id: string
  /** Drag distance and target index. */
  by: number
  to: number
}

/** Distance to the window's edge at which the page scrolls. */
const EDGE_PX = 80
const SCROLL_PX = 12

/**
 * A list reordered by a handle on each item: by pointer or touch, or by arrow keys, Home and End, keeping the focus.
 * Escape cancels a drag. `onMove` receives the old and new index.
 */
export function useReorder(ids: readonly string[], onMove: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag | null>(null)
  const items = useRef(new Map<string, HTMLElement>())
  const handles = useRef(new Map<string, HTMLElement>())
  const held = useRef<{ startY: number; middles: number[] } | null>(null)
  const moving = useRef<{ id: string; before: string } | null>(null)

  // Moving an element in the document drops its focus.
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

  const getHandleProps = (id: string) => ({
    ref: keep(handles.current, id),
    onKeyDown(event: KeyboardEvent) {
      const to = findKeyIndex(event.key, ids.indexOf(id), ids.length)
      if (to === null || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      move(id, to)
    },
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      held.current = { startY: event.pageY, middles: ids.map((each) => findMiddle(items.current.get(each)!)) }
      setDrag({ id, by: 0, to: ids.indexOf(id) })
    },
    onPointerMove(event: PointerEvent) {
      const { current } = held
      if (!current) return
      scrollNearEdge(event.clientY)
      setDrag({
        id,
        by: event.pageY - current.startY,
        to: findDropIndex(current.middles, ids.indexOf(id), event.pageY),
      })
    },
    onPointerUp() {
      if (held.current && drag) move(id, drag.to)
      letGo()
    },
    onPointerCancel: letGo,
  })

  const getItemProps = (id: string) => {
    const from = drag ? ids.indexOf(drag.id) : -1
    const index = ids.indexOf(id)
    // Drop marker above the item the dragged one would precede, or below the last.
    const isAfter = drag !== null && drag.to > from
    const isTarget = drag !== null && drag.to !== from && index === drag.to
    return {
      ref: keep(items.current, id),
      ...(drag?.id === id && { 'data-dragged': true, style: { transform: `translateY(${drag.by}px)` } }),
      ...(isTarget && { 'data-drop': isAfter ? 'after' : 'before' }),
    }
  }
  return { handleOf: getHandleProps, itemOf: getItemProps }
}

const keep = (elements: Map<string, HTMLElement>, id: string) => (element: HTMLElement | null) => {
  if (element) elements.set(id, element)
  else elements.delete(id)
}

/** Relative to the page's top. */
function findMiddle(element: HTMLElement): number {
  const { top, height } = element.getBoundingClientRect()
  return top + scrollY + height / 2
}

function scrollNearEdge(y: number): void {
  if (y < EDGE_PX) scrollBy(0, -SCROLL_PX)
  else if (y > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
}
