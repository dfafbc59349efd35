import { hangs, refuses, type State, says, waits } from './steps.ts'

export const ofAnalytics: State[] = [
  {
    name: 'analytics on their way',
    of: 'owner',
    path: '/analytics',
    isLoading: true,
    given: [hangs('analytics')],
    steps: [waits],
  },
  {
    name: 'analytics not to be had',
    of: 'owner',
    path: '/analytics',
    given: [refuses('analytics?', 'Failed to fetch analytics data')],
    steps: [says('Failed to fetch analytics data')],
  },
]
