/** SQL of `with` queries that write the copies and the files of the notifications in `fresh`. */
export const keepParts = `copied as (
      insert into copies (notification_id, recipient_index, position, field, recipient_masked, mark, suppressed)
      select fresh.id, copy.recipient_index, copy.position, copy.field, copy.recipient_masked, copy.mark, copy.suppressed
      from fresh cross join json_to_recordset(coalesce(fresh.copies, '[]')) as copy (recipient_index text, position smallint,
        field text, recipient_masked text, mark text, suppressed text)
    ), filed as (
      insert into attachments (id, tenant_id, content)
      select id, tenant_id, decode(files, 'base64') from fresh where files is not null
    ),`
