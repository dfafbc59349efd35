import { Button, Card, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { OperatorProblem } from '../../shared/operator.ts'
import { announce } from '../ui/announce.ts'
import { TimeAgo } from '../ui/Time.tsx'
import { NoteDialog } from './NoteDialog.tsx'
import { useResolve } from './queries.ts'
import { operatorProblems } from './rules.ts'

/** Problems that only an operator can fix. */
export function Problems({ problems, withAccount = false }: { problems: OperatorProblem[]; withAccount?: boolean }) {
  const [closing, setClosing] = useState<OperatorProblem | null>(null)
  const resolve = useResolve()
  return (
    <Card>
      <Title order={2} mb="sm">
        Open problems
      </Title>
      {problems.length === 0 ? (
        <Text c="dimmed">There are none.</Text>
      ) : (
        <ul className="operator-problems">
          {problems.map((problem) => (
            <li key={problem.id}>
              <div className="operator-problem">
                <strong>{operatorProblems[problem.kind]}</strong>
                <Text fz="sm" c="dimmed">
                  {withAccount && (
                    <>
                      <Link to={`/operator/${problem.accountId}`}>{problem.accountName}</Link> ·{' '}
                    </>
                  )}
                  {problem.detail} · <TimeAgo at={problem.raisedAt} />
                </Text>
              </div>
              <Button variant="default" size="sm" onClick={() => setClosing(problem)}>
                Close problem
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NoteDialog
        opened={closing !== null}
        title="Close this problem?"
        text="Close it once it is seen to. If it is found again, it comes back."
        label="Note"
        confirmLabel="Close problem"
        mutation={resolve}
        onConfirm={(note) =>
          resolve.mutate(
            { problemId: closing!.id, note },
            {
              onSuccess: () => {
                announce('The problem is closed')
                setClosing(null)
              },
            },
          )
        }
        onClose={() => setClosing(null)}
      />
    </Card>
  )
}
