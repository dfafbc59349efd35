import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'

interface Props {
  title: string
  /** Announced after success. */
  removed: string
  remove: {
    isPending: boolean
    error: Error | null
    mutate: (variables: undefined, options: { onSuccess: () => void }) => void
  }
  /** What stops working. */
  children: ReactNode
}

/** Removes stored credentials, after a confirmation. */
export function RemoveButton({ title, removed, remove, children }: Props) {
  const [isAsking, setAsking] = useState(false)
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        setAsking(false)
        announce(removed)
      },
    })
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        opened={isAsking}
        title={title}
        confirmLabel="Remove"
        isDangerous
        isBusy={remove.isPending}
        problem={remove.error?.message}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {children}
      </Confirm>
    </>
  )
}
