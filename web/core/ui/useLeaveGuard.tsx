import { useEffect } from 'react'
import { type Location, useBlocker } from 'react-router'
import { Confirm } from './Confirm.tsx'
import { countUnsaved } from './unsaved.ts'

const isAnotherPath = (from: Location, to: Location) => from.pathname !== to.pathname

/** Confirms before a form with changes is left. `isOutside` decides which addresses leave it. */
export function useLeaveGuard(isDirty: boolean, isOutside = isAnotherPath) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isDirty && isOutside(currentLocation, nextLocation))
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    const saved = countUnsaved()
    return () => {
      removeEventListener('beforeunload', ask)
      saved()
    }
  }, [isDirty])
  const isAsking = blocker.state === 'blocked'
  const question = (
    <Confirm
      opened={isAsking}
      title="Leave without saving?"
      confirmLabel="Leave"
      isDangerous
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      Your changes on this page have not been saved.
    </Confirm>
  )
  return { isAsking, question }
}
