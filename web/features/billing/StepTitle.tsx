import { Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

/** Title of a dialog step. Takes the focus, so screen readers start at the step. */
export function StepTitle({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Title order={3} ref={heading} tabIndex={-1} className="purchase-title" mb="xs">
      {children}
    </Title>
  )
}
