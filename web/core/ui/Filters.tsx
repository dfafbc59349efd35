import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'

interface Props {
  /** How many differ from their default. */
  active: number
  children: ReactNode
}

/** Filters beside a search box. On a phone they fold into one button with the number of active ones. */
export function Filters({ active, children }: Props) {
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  if (!isPhone) return children
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': id })}
        onClick={() => setOpen(!isOpen)}
      >
        Filters
        {active > 0 && (
          <span className="filters-count">
            {active}
            <span className="visually-hidden"> active</span>
          </span>
        )}
      </Button>
      {isOpen && (
        <div id={id} className="filters">
          {children}
        </div>
      )}
    </>
  )
}
