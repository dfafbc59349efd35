import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { WITHOUT_SCRIPT_TEXT } from '../../../shared/carts/capture-status.ts'
import { useStore } from '../../core/access/queries.ts'
import { useScope } from '../../core/access/scope.ts'

/** Explains an empty list: the store has never reported a cart. */
export function NoCaptureYet() {
  const store = useStore()
  const { isAll } = useScope()
  if (isAll || !store || store.isDemo || store.mode !== 'limited') return null
  return (
    <Text fz="sm" maw={440} component="span" display="block">
      Your shop has not reported a cart yet. {WITHOUT_SCRIPT_TEXT}.{' '}
      <Anchor component={Link} to="/settings/capture-script" inherit underline="always">
        Install the tracking script
      </Anchor>
    </Text>
  )
}
