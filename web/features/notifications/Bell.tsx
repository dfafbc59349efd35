import { UnstyledButton } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { useStore } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { countKey } from './keys.ts'
import { formatBadge } from './order.ts'

const ASK_AGAIN_MS = 60_000

/** In the header of every screen while a store is connected (A 2.11). The panel loads on first use. */
export function Bell() {
  const store = useStore()
  return store && <OfStore key={store.id} storeId={store.id} platform={store.platform} />
}

interface PanelProps {
  onClose: () => void
}

function OfStore({ storeId, platform }: { storeId: string; platform: string }) {
  const count = useUnread(storeId, platform)
  const { Panel, isOpen, open, close, load } = usePanel()
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const closePanel = useCallback(
    (isFocusOurs: boolean) => {
      close()
      if (isFocusOurs) button.current?.focus()
    },
    [close],
  )
  useCloseOutside(place, isOpen, closePanel)
  return (
    <div className="bell" ref={place}>
      <UnstyledButton
        ref={button}
        className="bell-button"
        aria-label={count > 0 ? `Notifications, ${formatBadge(count)} unread` : 'Notifications'}
        title="Notifications"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={load}
        onFocus={load}
        onClick={() => (isOpen ? closePanel(true) : open())}
      >
        <IconBell size={20} stroke={1.7} aria-hidden />
        {count > 0 && (
          <span className="bell-badge" aria-hidden>
            {formatBadge(count)}
          </span>
        )}
      </UnstyledButton>
      {isOpen && Panel && <Panel onClose={close} />}
    </div>
  )
}

function useUnread(storeId: string, platform: string): number {
  const { data } = useQuery({
    queryKey: countKey(storeId),
    queryFn: async ({ signal, client }) =>
      (await import('./count.ts')).fetchCount({ queries: client, storeId, platform }, signal),
    // Fallback polling without a live connection.
    refetchInterval: ASK_AGAIN_MS,
  })
  return data?.count ?? 0
}

function usePanel() {
  const [Panel, setPanel] = useState<ComponentType<PanelProps> | null>(null)
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  const load = useCallback(async () => {
    const { BellPanel } = await import('./BellPanel.tsx')
    setPanel(() => BellPanel)
  }, [])
  const close = useCallback(() => setOpen(false), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when it has led somewhere
  useEffect(close, [pathname])
  const open = async () => {
    try {
      await load()
      setOpen(true)
    } catch {
      announce('The notifications could not be loaded. Check your connection and try again.', 'bad')
    }
  }
  // If preloading fails, opening the panel reports it.
  return { Panel, isOpen, open, close, load: () => void load().catch(() => undefined) }
}

/** Closes on an outside click, Escape, or when the focus moves elsewhere. */
function useCloseOutside(
  place: { current: HTMLElement | null },
  isOpen: boolean,
  close: (isFocusOurs: boolean) => void,
) {
  useEffect(() => {
    if (!isOpen) return
    const isOutside = (target: EventTarget | null) => target instanceof Node && !place.current?.contains(target)
    const onPress = ({ target }: Event) => isOutside(target) && close(false)
    const onFocus = ({ target }: Event) => isOutside(target) && target !== document.body && close(false)
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      close(true)
    }
    document.addEventListener('pointerdown', onPress)
    document.addEventListener('focusin', onFocus)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onPress)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('keydown', onKey)
    }
  }, [place, isOpen, close])
}
