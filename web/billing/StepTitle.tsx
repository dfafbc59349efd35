import { Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

/** Of a step of a dialog. It gets the focus, so that whoever hears the page is where the step begins. */
export function StepTitle({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Title order={3} ref={heading} tabIndex={-1} className="step-title" mb="xs">
      {children}
    </Title>
  )
}
