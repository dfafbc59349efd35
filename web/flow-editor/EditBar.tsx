import { Anchor } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from 'react-router'
import { ApiError } from '../api.ts'
import { useFlowEffect } from '../flows/queries.ts'
import { NotSaved } from '../ui/NotSaved.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { describeEffect } from './effect.ts'
import { buildSaveBody } from './saving.ts'
import type { FlowEdit } from './useFlowEdit.ts'

/** The server check is debounced. */
const PAUSE_MS = 800

/** Saves, and first shows the effect on scheduled messages: the server saves in a transaction and rolls back. */
export function EditBar({ flowId, edit, isReadOnly }: { flowId: string; edit: FlowEdit; isReadOnly: boolean }) {
  const { editing, save, isValid, submit, discard } = edit
  const { isDirty, draft, stored } = editing
  const isAsked = isDirty && isValid && !isReadOnly
  const wanted = isAsked ? JSON.stringify(buildSaveBody(draft, stored)) : null
  const [asked] = useDebouncedValue(wanted, PAUSE_MS)
  const effect = useFlowEffect(flowId, wanted === null ? null : asked)
  const isKnown = asked === wanted && effect.data !== undefined && !effect.isPlaceholderData
  const isOfPlan = save.error instanceof ApiError && save.error.code === 'plan_required'
  return (
    <SaveBar
      isDirty={isDirty}
      isSaving={save.isPending}
      isDisabled={isReadOnly}
      problem={
        save.error && (
          <NotSaved>
            {save.error.message} {isOfPlan && <SeePlans />}
          </NotSaved>
        )
      }
      note={isKnown ? describeEffect(effect.data!.effect) : null}
      onSave={() => submit()}
      onDiscard={discard}
    />
  )
}

const SeePlans = () => (
  <Anchor component={Link} to="/pricing" inherit underline="always">
    See plans
  </Anchor>
)
