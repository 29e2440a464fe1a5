/** Characters of a text message; error 21617 refuses longer ones. */
export const longestText = 1600
