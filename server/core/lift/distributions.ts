import jstat from 'jstat'

// The library exports its functions only on the default export.

export const { jStat } = jstat
