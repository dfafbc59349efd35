import { useEffect } from 'react'
import { type Location, useBlocker } from 'react-router'
import { Confirm } from './Confirm.tsx'

let unsavedForms = 0

/** Whether something on the screen would be lost, for what leaves it without a change of address. */
export const hasUnsaved = () => unsavedForms > 0

const toAnotherPath = (from: Location, to: Location) => from.pathname !== to.pathname

/** Asks before a form with changes is left. `isLeft` says which addresses leave it. */
export function useLeaveGuard(isDirty: boolean, isLeft = toAnotherPath) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isDirty && isLeft(currentLocation, nextLocation))
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    unsavedForms += 1
    return () => {
      removeEventListener('beforeunload', ask)
      unsavedForms -= 1
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
