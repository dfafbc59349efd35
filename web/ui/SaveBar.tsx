import { Button, Group } from '@mantine/core'
import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { Confirm } from './Confirm.tsx'

let unsavedForms = 0

/** Whether something on the screen would be lost, for what leaves it without a change of address. */
export const hasUnsaved = () => unsavedForms > 0

interface Props {
  isDirty: boolean
  isSaving: boolean
  isDisabled?: boolean
  onSave: () => void
  onDiscard: () => void
}

/** Appears with the first change and asks before the page is left without saving. */
export function SaveBar({ isDirty, isSaving, isDisabled = false, onSave, onDiscard }: Props) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirty && currentLocation.pathname !== nextLocation.pathname,
  )
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
  return (
    <>
      {isDirty && (
        <section className="save-bar" aria-label="Unsaved changes">
          <span role="status">Unsaved changes</span>
          <Group gap="xs" wrap="nowrap">
            <Button size="sm" variant="default" onClick={onDiscard} disabled={isSaving}>
              Discard
            </Button>
            <Button size="sm" onClick={onSave} loading={isSaving} disabled={isDisabled}>
              Save
            </Button>
          </Group>
        </section>
      )}
      <Confirm
        opened={blocker.state === 'blocked'}
        title="Leave without saving?"
        confirmLabel="Leave"
        isDangerous
        onConfirm={() => blocker.proceed?.()}
        onClose={() => blocker.reset?.()}
      >
        Your changes on this page have not been saved.
      </Confirm>
    </>
  )
}
