/** The release of all services, as in every package.json. */
export const version = '1.0.0'
