import { Button, Drawer, Group, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  title: string
  /** Identifies the content: when it changes, the panel scrolls to the top and takes the focus. */
  of: string
  onClose: () => void
  children: ReactNode
}

/** Minimum width for the flow with a panel beside it. */
const BESIDE = '(min-width: 75em)'

export const useHasSideRoom = (): boolean => useMediaQuery(BESIDE, true, { getInitialValueInEffect: false })

/** Editor panel: beside the flow if there is room, otherwise a dialog. */
export function SidePanel({ title, of, onClose, children }: Props) {
  const isBeside = useHasSideRoom()
  if (!isBeside) {
    return (
      <Drawer
        opened
        onClose={onClose}
        title={title}
        position="right"
        size="min(720px, 100%)"
        attributes={{ header: { role: 'presentation' } }}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {children}
      </Drawer>
    )
  }
  return (
    <SideContent key={of} title={title} onClose={onClose}>
      {children}
    </SideContent>
  )
}

function SideContent({ title, onClose, children }: Omit<Props, 'of'>) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <section
      className="step-panel"
      aria-label={title}
      onKeyDown={(event) => {
        // Ignore Escape of an open list or menu inside.
        if (event.key === 'Escape' && !event.defaultPrevented && !isOpenList(event.target)) onClose()
      }}
    >
      <Group justify="space-between" wrap="nowrap" gap="sm" mb="md">
        <Title order={2} ref={heading} tabIndex={-1}>
          {title}
        </Title>
        <Button variant="subtle" size="compact-sm" aria-label="Close" onClick={onClose}>
          <IconX size={18} aria-hidden />
        </Button>
      </Group>
      {children}
    </section>
  )
}

const isOpenList = (target: EventTarget) => (target as HTMLElement).getAttribute('aria-expanded') === 'true'
